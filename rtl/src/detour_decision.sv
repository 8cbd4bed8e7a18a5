// The wanted port, a detour or a drop, with a draw that is always ready.
//
// Decision    by Dibs: detour_pick, detour_first_open, or no detours at all: the wanted port where the
//             frame fits, else a drop.
// State       the draw. It goes on with each frame that does not fit where it wants to.
// Latency     none: combinational. The draw is made, and with detour_pick scaled to every number of
//             ports, before it is needed.
// Source      Zarifis et al., EuroSys 2014, sections 2 and 5.1.
// Deviations  see the two cells. Dibs 2 draws from 8 bits of state, of which seed_i gives the lowest.

`default_nettype none

module detour_decision #(
  parameter NumPorts = 4,   // ports; 2 to 16
  parameter PortW    = 2,   // bits of a port number
  parameter DrawW    = 32,  // bits of a draw
  parameter Dibs     = 1    // 1: detours by detour_pick; 2: by detour_first_open; 0: none, for comparison
) (
  input  wire logic                clk_i,        // clock
  input  wire logic                rst_ni,       // reset, active low, synchronous
  input  wire logic                seed_we_i,    // take a new seed for the draws
  input  wire logic [31:0]         seed_i,       // the seed
  input  wire logic                alive_i,      // a frame decides now: it uses the draw if it must
  input  wire logic [NumPorts-1:0] want_i,       // the port it wants, one bit
  input  wire logic [PortW-1:0]    want_port_i,  // the same, as a number
  input  wire logic [NumPorts-1:0] fits_i,       // bit p: it fits in queue p
  input  wire logic [NumPorts-1:0] allowed_i,    // bit p: it may be detoured to port p
  output logic                     full_o,       // no port will take it
  output logic                     detour_o,     // the choice is not the wanted port
  output logic      [NumPorts-1:0] choice_o      // the choice, one bit; meaningful when !full_o
);

  wire want_full = (want_i & fits_i) == {NumPorts{1'b0}};

  generate
    if (Dibs == 1) begin : g_dibs
      // The draw has been scaled to every number of ports a cycle before it is needed; behind it
      // stands the next one.
      localparam PlacesW = (NumPorts + 1) * PortW;

      wire [DrawW-1:0]   draw;
      wire [PlacesW-1:0] places;
      reg  [PlacesW-1:0] places_q;
      reg                load_q;  // places_q holds no draw of this seed yet
      wire [PortW-1:0]   choice_port;
      wire               next = load_q || (alive_i && want_full);

      always_ff @(posedge clk_i) begin
        load_q <= !rst_ni || seed_we_i;
        if (next) places_q <= places;
      end

      scale_draw #(.NumPorts(NumPorts), .PortW(PortW), .DrawW(DrawW)) i_scale (
        .draw_i   (draw),
        .places_o (places)
      );

      lfsr #(.DrawW(DrawW)) i_draw (
        .clk_i     (clk_i),
        .rst_ni    (rst_ni),
        .seed_we_i (seed_we_i),
        .seed_i    (seed_i),
        .step_i    (next),
        .draw_o    (draw)
      );

      detour_pick #(.NumPorts(NumPorts), .PortW(PortW), .DrawW(PlacesW), .Scaled(1)) i_pick (
        .want_i   (want_port_i),
        .fits_i   (fits_i),
        .switch_i (allowed_i),
        .draw_i   (places_q),
        .drop_o   (full_o),
        .detour_o (detour_o),
        .port_o   (choice_port)
      );

      assign choice_o = {{(NumPorts-1){1'b0}}, 1'b1} << choice_port;

`ifdef FORMAL
      // A place among n ports is below n, from the first draw after reset on.
      reg past_q = 1'b0;
      always_ff @(posedge clk_i) past_q <= 1'b1;
      wire [NumPorts:1] f_below;
      genvar n;
      for (n = 1; n <= NumPorts; n = n + 1) begin : g_law
        assign f_below[n] = places_q[n*PortW +: PortW] < n;
      end
      always_comb begin
        if (past_q && !load_q) a_place_there_is: assert (&f_below);
      end
`endif
    end else if (Dibs == 2) begin : g_first_open
      // The cheap one: the first open port from a drawn one on, by 8 bits of state.
      wire [PortW-1:0] draw;
      wire [PortW-1:0] choice_port;

      lfsr #(.Width(8), .Taps(8'hb8), .Seed(8'h5e), .DrawW(PortW), .Leap(4)) i_draw (
        .clk_i     (clk_i),
        .rst_ni    (rst_ni),
        .seed_we_i (seed_we_i),
        .seed_i    (seed_i[7:0]),
        .step_i    (alive_i && want_full),
        .draw_o    (draw)
      );

      detour_first_open #(.NumPorts(NumPorts), .PortW(PortW), .DrawW(PortW)) i_pick (
        .want_i   (want_port_i),
        .fits_i   (fits_i),
        .switch_i (allowed_i),
        .draw_i   (draw),
        .drop_o   (full_o),
        .detour_o (detour_o),
        .port_o   (choice_port)
      );

      assign choice_o = {{(NumPorts-1){1'b0}}, 1'b1} << choice_port;
    end else begin : g_drop
      assign choice_o = want_i;
      assign full_o   = want_full;
      assign detour_o = 1'b0;
    end
  endgenerate

endmodule

`default_nettype wire
