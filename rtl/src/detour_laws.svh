// SPDX-License-Identifier: MIT OR Apache-2.0
// Laws of every cell with the ports of detour_pick, whatever its choice. Included under FORMAL.

  wire [NumPorts-1:0] law_open   = fits_i & switch_i;
  wire [NumPorts-1:0] law_choice = {{(NumPorts-1){1'b0}}, 1'b1} << port_o;
  wire                law_wanted = |(fits_i & ({{(NumPorts-1){1'b0}}, 1'b1} << want_i));

  always_comb begin
    assume (want_i < NumPorts);
    if (!drop_o) begin
      a_port_of_this_switch: assert (port_o < NumPorts);
      never_to_a_full_queue: assert ((law_choice & ~fits_i) == 0);
    end
    if (detour_o) begin
      never_to_a_host:            assert ((law_choice & ~switch_i) == 0);
      a_detour_goes_elsewhere:    assert (port_o != want_i);
      no_detour_without_need:     assert (!law_wanted);
    end
    drop_only_when_nothing_is_open: assert (drop_o == (!law_wanted && law_open == 0));
    not_both:                       assert (!(drop_o && detour_o));
    the_wanted_port_where_it_fits:  assert (!law_wanted || (!drop_o && !detour_o && port_o == want_i));
  end
