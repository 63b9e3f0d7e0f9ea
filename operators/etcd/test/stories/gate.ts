/** A gate on the operator's way to the members: it can be shut, as a cut network would. */
import { connect, createServer } from "node:net";
import type { Socket } from "node:net";

export class Gate implements AsyncDisposable {
  readonly #ways = new Set<Socket>();
  readonly #server = createServer((near) => this.#lead(near));
  readonly #target: string;
  #isShut = false;

  private constructor(target: string) {
    this.#target = target;
  }

  /** Listens at a path and leads to another. */
  static async open(path: string, target: string): Promise<Gate> {
    const gate = new Gate(target);
    await new Promise<void>((resolve, reject) => gate.#server.once("error", reject).listen(path, resolve));
    return gate;
  }

  /** Ends every connection and lets no other through. */
  shut(): void {
    this.#isShut = true;
    for (const way of this.#ways) way.destroy();
  }

  reopen(): void {
    this.#isShut = false;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.shut();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  #lead(near: Socket): void {
    near.on("error", () => near.destroy());
    if (this.#isShut) {
      near.destroy();
      return;
    }
    const far = connect(this.#target);
    for (const way of [near, far]) this.#ways.add(way.on("close", () => this.#ways.delete(way)));
    far.on("error", () => near.destroy());
    near.on("close", () => far.destroy());
    far.on("close", () => near.destroy());
    near.pipe(far).pipe(near);
  }
}
