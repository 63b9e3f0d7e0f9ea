/** A proxy that can be closed, like a cut network or a dead server, and opened again. */
import { connect, createServer } from "node:net";
import type { Server, Socket } from "node:net";

/** A socket in the file system, or a port of 127.0.0.1; port 0 is any that is free. */
export type Place = string | number;

/** How a closed gate treats connections: it refuses them at once, or accepts them and never responds. */
export type Shut = "refused" | "silent";

export class Gate implements AsyncDisposable {
  readonly #ways = new Map<Socket, Socket>();
  /** Connections that arrived while the gate was silent: they are forwarded when it opens. */
  readonly #waiting = new Set<Socket>();
  readonly #server: Server = createServer((near) => this.#receive(near));
  readonly #target: Place;
  #state: Shut | "open" = "open";

  private constructor(target: Place) {
    this.#target = target;
  }

  /** Listens on one place and forwards to another. */
  static async open(place: Place, target: Place): Promise<Gate> {
    const gate = new Gate(target);
    await new Promise<void>((resolve, reject) => {
      gate.#server.once("error", reject);
      if (typeof place === "string") gate.#server.listen(place, resolve);
      else gate.#server.listen(place, "127.0.0.1", resolve);
    });
    return gate;
  }

  /** The port that it listens on. */
  get port(): number {
    const address = this.#server.address();
    return typeof address === "object" && address !== null ? address.port : 0;
  }

  /** Stops forwarding: ends every connection, or leaves all of them without a response. */
  shut(how: Shut = "refused"): void {
    this.#state = how;
    for (const [near, far] of this.#ways) {
      if (how === "refused") near.destroy();
      else for (const [one, other] of pairs(near, far)) one.unpipe(other).pause();
    }
  }

  reopen(): void {
    const wasSilent = this.#state === "silent";
    this.#state = "open";
    if (wasSilent) for (const [near, far] of this.#ways) join(near, far);
    for (const near of this.#waiting) this.#lead(near);
    this.#waiting.clear();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.shut();
    for (const near of this.#waiting) near.destroy();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  #receive(near: Socket): void {
    near.on("error", () => near.destroy());
    near.on("close", () => this.#waiting.delete(near));
    if (this.#state === "refused") near.destroy();
    else if (this.#state === "silent") this.#waiting.add(near);
    else this.#lead(near);
  }

  #lead(near: Socket): void {
    const far = typeof this.#target === "string" ? connect(this.#target) : connect(this.#target, "127.0.0.1");
    this.#ways.set(near, far);
    far.on("error", () => near.destroy());
    far.on("close", () => near.destroy());
    near.on("close", () => {
      this.#ways.delete(near);
      far.destroy();
    });
    join(near, far);
  }
}

function join(near: Socket, far: Socket): void {
  for (const [one, other] of pairs(near, far)) one.pipe(other);
}

function pairs(near: Socket, far: Socket): readonly (readonly [Socket, Socket])[] {
  return [
    [near, far],
    [far, near],
  ];
}
