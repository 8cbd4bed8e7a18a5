// SPDX-License-Identifier: MIT OR Apache-2.0
// Wanted port, detour or drop, with a draw that is always ready.
//
// Decision    by Dibs: detour_pick, detour_first_open, the policy of buffer_i
//             (detour_choice), or no detours: the wanted port if the frame fits, else a drop.
// State       the draw; with Dibs 3 two draws. They advance with each frame that does not fit
//             where it wants to go, and with every frame if frames that fit may leave early.
// Latency     none: combinational. The draw is made before it is needed;
//             for detour_pick it is also scaled to every number of ports.
// Source      Zarifis et al., EuroSys 2014, sections 2 and 5.1.
// Deviations  see the two cells. Dibs 2 draws from 8 bits of state, of which seed_i gives the
//             lowest. Dibs 3 tries the ports of a flow in turn_order's order. A frame does not
//             carry the bytes left of its flow: its class of service (DSCP) stands for them.

`default_nettype none

module detour_decision #(
  parameter NumPorts = 4,   // ports; 2 to 16
  parameter PortW    = 2,   // bits of a port number
  parameter WordsW   = 12,  // bits of a queue's length; at most 16
  parameter DrawW    = 32,  // bits of a draw
  parameter Dibs     = 1    // 1: detours by detour_pick; 2: by detour_first_open; 3: as selected by buffer_i; 0: none
) (
  /* verilator lint_off UNUSEDSIGNAL */
  // Without detours most inputs are unused.
  input  wire logic                clk_i,        // clock
  input  wire logic                rst_ni,       // reset, active low, synchronous
  input  wire logic                seed_we_i,    // load a new seed for the draws
  input  wire logic [31:0]         seed_i,       // the seed
  input  wire logic                alive_i,      // a frame decides now: it uses the draw if it needs one
  input  wire logic [NumPorts-1:0] want_i,       // wanted port, one bit
  input  wire logic [PortW-1:0]    want_port_i,  // wanted port, as a number
  input  wire logic [NumPorts-1:0] fits_i,       // bit p: the frame fits in queue p
  input  wire logic [NumPorts-1:0] allowed_i,    // bit p: a detour to port p is allowed
  // With Dibs 3.
  input  wire logic [NumPorts*WordsW-1:0] depth_i, // frames in each queue now, port 0 lowest
  input  wire logic [5:0]          rank_i,       // class of service; 0 if it has none
  input  wire logic [11:0]         hash_i,       // hash of the frame's flow
  input  wire logic [31:0]         buffer_i,     // register BUFFER of rtl/switch.md; stable while frames pass
  input  wire logic [31:0]         early_i,      // register EARLY; stable while frames pass
  /* verilator lint_on UNUSEDSIGNAL */
  output logic                     full_o,       // no port has room
  output logic                     detour_o,     // the choice is not the wanted port
  output logic      [NumPorts-1:0] choice_o      // the choice, one bit; meaningful when !full_o
);

  wire want_full = (want_i & fits_i) == {NumPorts{1'b0}};

  generate
    if (Dibs == 1) begin : g_dibs
      // The draw is scaled to every number of ports a cycle
      // before it is needed; the next draw follows behind it.
      localparam PlacesW = (NumPorts + 1) * PortW;

      wire [DrawW-1:0]   draw;
      wire [PlacesW-1:0] places;
      reg  [PlacesW-1:0] places_q;
      reg                load_q;  // places_q has no draw of this seed yet
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
      // The cheap choice: the first open port from a drawn one on, with 8 bits of state.
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
    end else if (Dibs == 3) begin : g_choice
      // The policy selected by the register. Depths have 16 bits, as its limits do.
      localparam DepthW = 16;
      localparam [2:0] Probabilistic = 3'd5;

      wire [31:0]                  draw_1, draw_2;
      wire [NumPorts*DepthW-1:0]   depth;
      wire [DepthW-1:0]            line [0:NumPorts];  // depth of the wanted port, joined
      wire [NumPorts*NumPorts-1:0] order;
      wire [PortW-1:0]             choice_port;
      wire                         next = alive_i && (want_full || buffer_i[2:0] == Probabilistic);

      lfsr i_draw_1 (
        .clk_i     (clk_i),
        .rst_ni    (rst_ni),
        .seed_we_i (seed_we_i),
        .seed_i    (seed_i),
        .step_i    (next),
        .draw_o    (draw_1)
      );

      // Another seed, so that the two draws differ.
      lfsr #(.Seed(32'h5eed_0002)) i_draw_2 (
        .clk_i     (clk_i),
        .rst_ni    (rst_ni),
        .seed_we_i (seed_we_i),
        .seed_i    ({seed_i[15:0], ~seed_i[31:16]}),
        .step_i    (next),
        .draw_o    (draw_2)
      );

      assign line[0] = {DepthW{1'b0}};
      genvar p;
      for (p = 0; p < NumPorts; p = p + 1) begin : g_depth
        assign depth[p*DepthW +: DepthW] = {{(DepthW-WordsW){1'b0}}, depth_i[p*WordsW +: WordsW]};
        assign line[p+1] = line[p] | (want_i[p] ? depth[p*DepthW +: DepthW] : {DepthW{1'b0}});
      end

      turn_order #(.NumPorts(NumPorts), .PortW(PortW), .HashW(12)) i_order (
        .hash_i  (hash_i),
        .order_o (order)
      );

      detour_choice #(.NumPorts(NumPorts), .PortW(PortW), .DrawW(32), .DepthW(DepthW), .RankW(6)) i_choice (
        .policy_i (buffer_i[2:0]),
        .want_i   (want_port_i),
        .fits_i   (fits_i),
        .switch_i (allowed_i),
        .depth_i  (depth),
        .order_i  (order),
        .line_i   (line[NumPorts]),
        .start_i  (early_i[15:0]),
        .full_i   (early_i[31:16]),
        .rank_i   (rank_i),
        .favour_i (buffer_i[13:8]),
        .draw_1_i (draw_1),
        .draw_2_i (draw_2),
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
