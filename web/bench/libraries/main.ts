/** The same picture by four ways of drawing: 10,000 packets that move, 768 links of varying width. `?way=`: twgl, regl, pixi, canvas. */
import * as twgl from 'twgl.js';
import createRegl from 'regl';
import * as PIXI from 'pixi.js';
const N = 10_000, L = 768, W = 1280, H = 800;
const way = new URLSearchParams(location.search).get('way');
const canvas = document.createElement('canvas'); canvas.width = W; canvas.height = H; document.body.append(canvas);
const link = new Float32Array(L * 5), packet = new Float32Array(N * 5), of = new Uint16Array(N), phase = new Float32Array(N);
const rnd = (i: number) => { const v = Math.sin(i * 12.9898) * 43758.5453; return v - Math.floor(v); };
for (let i = 0; i < L; i++) link.set([rnd(i) * W, 700 - 200 * (i % 3), rnd(i + 9999) * W, 500 - 200 * (i % 3), 1], i * 5);
for (let i = 0; i < N; i++) { of[i] = i % L; phase[i] = rnd(i + 5); packet[i * 5 + 2] = 6; packet[i * 5 + 3] = i % 5; packet[i * 5 + 4] = i % 8; }
function move(t: number) {
  for (let i = 0; i < N; i++) { const l = of[i]! * 5, p = (phase[i]! + t / 2000) % 1; packet[i * 5] = link[l]! + (link[l + 2]! - link[l]!) * p; packet[i * 5 + 1] = link[l + 1]! + (link[l + 3]! - link[l + 1]!) * p; }
  for (let i = 0; i < L; i++) link[i * 5 + 4] = 1 + Math.abs(Math.sin(t / 900 + i)) * 2;
}
const COLOURS = [[0, 114, 178], [213, 94, 0], [0, 158, 115], [204, 121, 167], [230, 159, 0], [86, 180, 233], [120, 120, 120], [0, 0, 0]];
const VS_P = `precision highp float; attribute vec2 corner; attribute vec2 at; attribute vec3 what; uniform vec2 size; varying vec2 c; varying vec2 w; void main(){ c=corner; w=what.yz; vec2 p=at+corner*what.x*.5; gl_Position=vec4(p/size*vec2(2,-2)+vec2(-1,1),0,1);} `;
const FS_P = `precision mediump float; varying vec2 c; varying vec2 w; void main(){ float d = w.x<1.5 ? length(c)-.9 : w.x<2.5 ? max(abs(c.x),abs(c.y))-.8 : abs(c.x)+abs(c.y)-.95; if(d>0.) discard; gl_FragColor=vec4(fract(w.y*.37),fract(w.y*.73),fract(w.y*.19+.4),1);} `;
const VS_L = `precision highp float; attribute vec2 corner; attribute vec4 ends; attribute float wide; uniform vec2 size; void main(){ vec2 d=normalize(ends.zw-ends.xy); vec2 p=mix(ends.xy,ends.zw,corner.x*.5+.5)+vec2(-d.y,d.x)*corner.y*wide*.5; gl_Position=vec4(p/size*vec2(2,-2)+vec2(-1,1),0,1);} `;
const FS_L = `precision mediump float; void main(){ gl_FragColor=vec4(.5,.6,.7,1);} `;
const corners = new Float32Array([-1, -1, 1, -1, -1, 1, 1, 1]);
async function make(): Promise<() => void> {
  if (way === 'twgl') {
    const gl = canvas.getContext('webgl2', { antialias: false, alpha: false })!;
    const [pp, pl] = [twgl.createProgramInfo(gl, [VS_P, FS_P]), twgl.createProgramInfo(gl, [VS_L, FS_L])];
    const bufP = twgl.createBufferFromTypedArray(gl, packet, gl.ARRAY_BUFFER, gl.DYNAMIC_DRAW), bufL = twgl.createBufferFromTypedArray(gl, link, gl.ARRAY_BUFFER, gl.DYNAMIC_DRAW);
    const c = { numComponents: 2, data: corners };
    const iP = twgl.createBufferInfoFromArrays(gl, { corner: c, at: { buffer: bufP, numComponents: 2, stride: 20, offset: 0, divisor: 1 } as never, what: { buffer: bufP, numComponents: 3, stride: 20, offset: 8, divisor: 1 } as never });
    const iL = twgl.createBufferInfoFromArrays(gl, { corner: c, ends: { buffer: bufL, numComponents: 4, stride: 20, offset: 0, divisor: 1 } as never, wide: { buffer: bufL, numComponents: 1, stride: 20, offset: 16, divisor: 1 } as never });
    const vP = twgl.createVertexArrayInfo(gl, pp, iP), vL = twgl.createVertexArrayInfo(gl, pl, iL);
    const u = { size: [W, H] };
    return () => {
      gl.clearColor(1, 1, 1, 1); gl.clear(gl.COLOR_BUFFER_BIT);
      for (const [prog, v, b, d, n] of [[pl, vL, bufL, link, L], [pp, vP, bufP, packet, N]] as const) {
        gl.bindBuffer(gl.ARRAY_BUFFER, b); gl.bufferSubData(gl.ARRAY_BUFFER, 0, d);
        gl.useProgram(prog.program); twgl.setUniforms(prog, u); twgl.setBuffersAndAttributes(gl, prog, v); twgl.drawBufferInfo(gl, v, gl.TRIANGLE_STRIP, 4, 0, n);
      }
    };
  }
  if (way === 'points' || way === 'pointsonly' || way === 'linesonly') {
    const gl = canvas.getContext('webgl2', { antialias: false, alpha: false })!;
    const VP = `precision highp float; attribute vec2 at; attribute vec3 what; uniform vec2 size; varying vec2 w; void main(){ w=what.yz; gl_PointSize=what.x; gl_Position=vec4(at/size*vec2(2,-2)+vec2(-1,1),0,1);} `;
    const FP = `precision mediump float; varying vec2 w; void main(){ vec2 c=gl_PointCoord*2.-1.; float d = w.x<1.5 ? length(c)-.9 : w.x<2.5 ? max(abs(c.x),abs(c.y))-.8 : abs(c.x)+abs(c.y)-.95; if(d>0.) discard; gl_FragColor=vec4(fract(w.y*.37),fract(w.y*.73),fract(w.y*.19+.4),1);} `;
    const VL = `precision highp float; attribute vec2 at; uniform vec2 size; void main(){ gl_Position=vec4(at/size*vec2(2,-2)+vec2(-1,1),0,1);} `;
    const [pp, pl] = [twgl.createProgramInfo(gl, [VP, FP]), twgl.createProgramInfo(gl, [VL, FS_L])];
    const tri = new Float32Array(L * 12);
    const bufP = twgl.createBufferFromTypedArray(gl, packet, gl.ARRAY_BUFFER, gl.DYNAMIC_DRAW), bufL = twgl.createBufferFromTypedArray(gl, tri, gl.ARRAY_BUFFER, gl.DYNAMIC_DRAW);
    const iP = twgl.createBufferInfoFromArrays(gl, { at: { buffer: bufP, numComponents: 2, stride: 20, offset: 0 } as never, what: { buffer: bufP, numComponents: 3, stride: 20, offset: 8 } as never });
    const iL = twgl.createBufferInfoFromArrays(gl, { at: { buffer: bufL, numComponents: 2 } as never });
    const u = { size: [W, H] };
    return () => {
      gl.clearColor(1, 1, 1, 1); gl.clear(gl.COLOR_BUFFER_BIT);
      for (let i = 0; i < L; i++) { const o = i * 5, x1 = link[o]!, y1 = link[o + 1]!, x2 = link[o + 2]!, y2 = link[o + 3]!, k = link[o + 4]! / 2 / Math.hypot(x2 - x1, y2 - y1), nx = -(y2 - y1) * k, ny = (x2 - x1) * k; const j = i * 12; tri[j] = x1 + nx; tri[j + 1] = y1 + ny; tri[j + 2] = x2 + nx; tri[j + 3] = y2 + ny; tri[j + 4] = x1 - nx; tri[j + 5] = y1 - ny; tri[j + 6] = x1 - nx; tri[j + 7] = y1 - ny; tri[j + 8] = x2 + nx; tri[j + 9] = y2 + ny; tri[j + 10] = x2 - nx; tri[j + 11] = y2 - ny; }
      if (way !== 'pointsonly') { gl.bindBuffer(gl.ARRAY_BUFFER, bufL); gl.bufferSubData(gl.ARRAY_BUFFER, 0, tri); gl.useProgram(pl.program); twgl.setUniforms(pl, u); twgl.setBuffersAndAttributes(gl, pl, iL); gl.drawArrays(gl.TRIANGLES, 0, L * 6); }
      if (way !== 'linesonly') { gl.bindBuffer(gl.ARRAY_BUFFER, bufP); gl.bufferSubData(gl.ARRAY_BUFFER, 0, packet); gl.useProgram(pp.program); twgl.setUniforms(pp, u); twgl.setBuffersAndAttributes(gl, pp, iP); gl.drawArrays(gl.POINTS, 0, N); }
    };
  }
  if (way === 'regl') {
    const regl = createRegl({ canvas, extensions: ['ANGLE_instanced_arrays'], attributes: { antialias: false, alpha: false } });
    const bP = regl.buffer({ usage: 'dynamic', data: packet }), bL = regl.buffer({ usage: 'dynamic', data: link });
    const common = { uniforms: { size: [W, H] }, primitive: 'triangle strip' as const, count: 4, depth: { enable: false } };
    const dP = regl({ ...common, vert: VS_P, frag: FS_P, attributes: { corner: corners as never, at: { buffer: bP, stride: 20, offset: 0, divisor: 1 }, what: { buffer: bP, stride: 20, offset: 8, divisor: 1 } }, instances: N });
    const dL = regl({ ...common, vert: VS_L, frag: FS_L, attributes: { corner: corners as never, ends: { buffer: bL, stride: 20, offset: 0, divisor: 1 }, wide: { buffer: bL, stride: 20, offset: 16, divisor: 1 } }, instances: L });
    return () => { regl.poll(); regl.clear({ color: [1, 1, 1, 1] }); bP.subdata(packet); bL.subdata(link); dL(); dP(); };
  }
  if (way === 'pixi') {
    const app = new PIXI.Application();
    await app.init({ canvas, width: W, height: H, background: '#fff', antialias: false, preference: 'webgl', autoStart: false });
    const textures = [0, 1, 2, 3, 4].map((s) => { const g = new PIXI.Graphics(); if (s < 2) g.circle(4, 4, 3.6); else if (s < 3) g.rect(1, 1, 6, 6); else g.poly([4, 0, 8, 4, 4, 8, 0, 4]); g.fill('#fff'); return app.renderer.generateTexture(g); });
    const lines = new PIXI.Graphics(); app.stage.addChild(lines);
    const lineSprites = Array.from({ length: L }, (_, i) => { const s = new PIXI.Sprite(PIXI.Texture.WHITE); const o = i * 5; s.x = link[o]!; s.y = link[o + 1]!; s.rotation = Math.atan2(link[o + 3]! - link[o + 1]!, link[o + 2]! - link[o]!); s.width = Math.hypot(link[o + 2]! - link[o]!, link[o + 3]! - link[o + 1]!); s.tint = 0x8899aa; app.stage.addChild(s); return s; });
    const all = new PIXI.ParticleContainer({ dynamicProperties: { position: true, color: false, vertex: false, rotation: false, uvs: false }, texture: textures[0]! }); app.stage.addChild(all);
    const ps = Array.from({ length: N }, (_, i) => { const p = new PIXI.Particle({ texture: textures[0]!, tint: (COLOURS[i % 8]![0]! << 16) | (COLOURS[i % 8]![1]! << 8) | COLOURS[i % 8]![2]! }); all.addParticle(p); return p; });
    return () => { for (let i = 0; i < N; i++) { ps[i]!.x = packet[i * 5]!; ps[i]!.y = packet[i * 5 + 1]!; } for (let i = 0; i < L; i++) lineSprites[i]!.height = link[i * 5 + 4]!; app.render(); };
  }
  if (way === 'nothing') return () => {};
  if (way === 'clear') { const gl = canvas.getContext('webgl2', { antialias: false, alpha: false })!; let k = 0; return () => { gl.clearColor((k++ % 9) / 9, 1, 1, 1); gl.clear(gl.COLOR_BUFFER_BIT); }; }
  const g = canvas.getContext('2d', { alpha: false })!;
  if (way === 'rect') { let k = 0; return () => { g.fillStyle = k++ % 2 ? '#fff' : '#eee'; g.fillRect(0, 0, W, H); }; }
  if (way === 'small') { let k = 0; return () => { g.fillStyle = k++ % 2 ? '#fff' : '#eee'; g.fillRect(0, 0, 20, 20); }; }
  if (way === 'pixels') {
    const image = g.createImageData(W, H), px = new Uint32Array(image.data.buffer), back = new Uint32Array(W * H).fill(0xffffffff);
    return () => {
      px.set(back);
      for (let i = 0; i < N; i++) { const o = i * 5, x = packet[o]! | 0, y = packet[o + 1]! | 0; if (x < 4 || y < 4 || x > W - 5 || y > H - 5) continue; const c = 0xff000000 | (packet[o + 4]! * 0x1f3a57); for (let b = y - 3; b < y + 3; b++) { const r = b * W + x; px[r - 3] = c; px[r - 2] = c; px[r - 1] = c; px[r] = c; px[r + 1] = c; px[r + 2] = c; } }
      g.putImageData(image, 0, 0);
    };
  }
  if (way === 'lines') return () => { g.fillStyle = '#fff'; g.fillRect(0, 0, W, H); g.strokeStyle = '#89a'; for (let i = 0; i < L; i++) { const o = i * 5; g.lineWidth = link[o + 4]!; g.beginPath(); g.moveTo(link[o]!, link[o + 1]!); g.lineTo(link[o + 2]!, link[o + 3]!); g.stroke(); } };
  const atlas = COLOURS.flatMap((c) => [0, 1, 2, 3, 4].map((s) => { const a = document.createElement('canvas'); a.width = a.height = 8; const x = a.getContext('2d')!; x.fillStyle = `rgb(${c})`; x.beginPath(); if (s < 2) x.arc(4, 4, 3, 0, 7); else if (s < 3) x.rect(1, 1, 6, 6); else { x.moveTo(4, 0); x.lineTo(8, 4); x.lineTo(4, 8); x.lineTo(0, 4); } x.fill(); return a; }));
  return () => {
    g.fillStyle = '#fff'; g.fillRect(0, 0, W, H); g.strokeStyle = '#89a';
    for (let i = 0; i < L; i++) { const o = i * 5; g.lineWidth = link[o + 4]!; g.beginPath(); g.moveTo(link[o]!, link[o + 1]!); g.lineTo(link[o + 2]!, link[o + 3]!); g.stroke(); }
    for (let i = 0; i < N; i++) { const o = i * 5; g.drawImage(atlas[packet[o + 4]! * 5 + packet[o + 3]!]!, packet[o]! - 4, packet[o + 1]! - 4); }
  };
}
const draw = await make();
const gaps: number[] = [], work: number[] = []; let last = 0; const t0 = performance.now();
function frame(t: number) {
  if (last) gaps.push(t - last); last = t;
  const a = performance.now(); move(t); draw(); work.push(performance.now() - a);
  if (t - t0 < 4000) requestAnimationFrame(frame);
  else { const q = (x: number[], p: number) => [...x].sort((m, n) => m - n)[Math.floor(x.length * p)]!.toFixed(1); (window as never as { result: string }).result = `${way} frames ${gaps.length} interval p50 ${q(gaps, .5)} p95 ${q(gaps, .95)} p99 ${q(gaps, .99)} ms; script p50 ${q(work, .5)} p95 ${q(work, .95)} ms`; }
}
requestAnimationFrame(frame);
