/** What part of the drawing is seen: `screen = world * scale + (x, y)`. Several drawings may share one, so that they are looked at alike. */
export class View {
  scale = 1;
  x = 0;
  y = 0;
  width = 1;
  height = 1;
  readonly #listeners = new Set<() => void>();

  /** Calls `listener` after each change, until what it returns is called. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  get listeners(): number {
    return this.#listeners.size;
  }

  /** The whole drawing, as it was laid for this size. */
  fit(): void {
    this.#set(1, 0, 0);
  }

  resize(width: number, height: number): void {
    this.width = width;
    this.height = height;
    this.#set(this.scale, this.x, this.y);
  }

  /** `factor` times closer, with the point (x, y) of the screen where it is. */
  zoom(factor: number, x = this.width / 2, y = this.height / 2): void {
    const scale = Math.min(Math.max(this.scale * factor, 0.8), 40);
    const by = scale / this.scale;
    this.#set(scale, x - (x - this.x) * by, y - (y - this.y) * by);
  }

  pan(dx: number, dy: number): void {
    this.#set(this.scale, this.x + dx, this.y + dy);
  }

  /** Moves so that the point of the world is in the middle, closer when it is far away. */
  centre(x: number, y: number, scale = this.scale): void {
    this.#set(scale, this.width / 2 - x * scale, this.height / 2 - y * scale);
  }

  /** Some of the drawing stays in sight. */
  #set(scale: number, x: number, y: number): void {
    const [w, h] = [this.width * scale, this.height * scale];
    const [edgeX, edgeY] = [this.width * 0.3, this.height * 0.3];
    this.scale = scale;
    this.x = Math.min(Math.max(x, edgeX - w), this.width - edgeX);
    this.y = Math.min(Math.max(y, edgeY - h), this.height - edgeY);
    for (const listener of this.#listeners) listener();
  }
}
