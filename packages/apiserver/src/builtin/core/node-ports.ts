/** The ports of nodes that services can have. */
import type { Service } from "@capstan/kinds/v1";
import { apiErrors } from "@capstan/model";
import type { Lookup, RuleContext } from "../context.ts";
import { specOf } from "./service-shape.ts";

/** Ports from one to another, both included. */
export interface PortRange {
  readonly first: number;
  readonly last: number;
}

/** What services get unless the server is told otherwise. */
export const defaultNodePorts: PortRange = { first: 30000, last: 32767 };

/** A port that cannot be had. */
export class NodePortError extends Error {
  readonly code = "NodePortRefused";
  readonly path: string;
  readonly port: number;

  constructor(path: string, port: number, why: string) {
    super(why);
    this.name = "NodePortRefusal";
    this.path = path;
    this.port = port;
  }
}

/** Ports that requests hold while they are not stored yet; a server is known by its lookup. */
const held = new WeakMap<Lookup, Set<number>>();

/** One request's view of the ports; what it took it can give back. */
export class NodePortPool {
  readonly #context: RuleContext;
  readonly #own: ReadonlySet<number>;
  readonly #taken = new Set<number>();
  #used: Set<number> | undefined;

  /** Ports that the service has already are its own. */
  constructor(context: RuleContext, old: Service | undefined) {
    this.#context = context;
    this.#own = new Set(old === undefined ? [] : portsOf(old));
  }

  /** What is stored needs no holding: a service has the ports that it says, and those that it said before are free. */
  static settle(lookup: Lookup, services: readonly Service[]): void {
    for (const port of services.flatMap(portsOf)) held.get(lookup)?.delete(port);
  }

  /** Takes a port that was asked for. */
  take(port: number, path: string): void {
    const why = this.#refusal(port);
    if (why !== undefined) throw new NodePortError(path, port, why);
    this.#hold(port);
  }

  /** The same for a port of a health check, which the real server reports as its own failure. */
  takeForHealthCheck(port: number): void {
    const why = this.#refusal(port);
    if (why !== undefined) {
      throw apiErrors.internalError(`failed to allocate requested HealthCheck NodePort ${port}: ${why}`);
    }
    this.#hold(port);
  }

  /** Takes any free port. */
  takeNext(): number {
    if (this.#context.dryRun) return this.#takeDummy();
    const used = this.#usedPorts();
    const { first, last } = this.#context.nodePorts;
    const size = last - first + 1;
    const start = this.#context.random(size);
    for (let step = 0; step < size; step++) {
      const port = first + ((start + step) % size);
      if (used.has(port) || this.#taken.has(port)) continue;
      this.#hold(port);
      return port;
    }
    throw apiErrors.internalError("failed to allocate a nodePort: range is full");
  }

  /** A trial run shows a port behind the last one: nobody can have it, and nobody will. */
  #takeDummy(): number {
    const port = (this.#taken.size === 0 ? this.#context.nodePorts.last + 1 : Math.max(...this.#taken)) + 1;
    this.#taken.add(port);
    return port;
  }

  release(): void {
    for (const port of this.#taken) this.#heldPorts().delete(port);
    this.#taken.clear();
  }

  #refusal(port: number): string | undefined {
    if (this.#own.has(port)) return undefined;
    const { first, last } = this.#context.nodePorts;
    // A trial run does not ask whether the port could be given out at all.
    if (!this.#context.dryRun && (port < first || port > last)) {
      return `provided port is not in the valid range. The range of valid ports is ${first}-${last}`;
    }
    return this.#usedPorts().has(port) || this.#taken.has(port) ? "provided port is already allocated" : undefined;
  }

  #hold(port: number): void {
    this.#taken.add(port);
    if (!this.#context.dryRun) this.#heldPorts().add(port);
  }

  #heldPorts(): Set<number> {
    const { lookup } = this.#context;
    let ports = held.get(lookup);
    if (ports === undefined) held.set(lookup, (ports = new Set()));
    return ports;
  }

  #usedPorts(): Set<number> {
    if (this.#used === undefined) {
      const services = this.#context.lookup.list("services") as readonly Service[];
      this.#used = new Set([...services.flatMap(portsOf), ...this.#heldPorts()]);
    }
    return this.#used;
  }
}

function portsOf(service: Service): number[] {
  const { ports = [], healthCheckNodePort = 0 } = specOf(service);
  return [...ports.map(({ nodePort = 0 }) => nodePort), healthCheckNodePort].filter((port) => port !== 0);
}
