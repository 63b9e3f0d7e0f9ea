/** Allocation of node ports of services. */
import type { Service } from "@capstan/kinds/v1";
import { apiErrors } from "@capstan/model";
import type { Lookup, RuleContext } from "../context.ts";
import { specOf } from "./service-shape.ts";

/** A range of ports, both ends included. */
export interface PortRange {
  readonly first: number;
  readonly last: number;
}

/** The default range of node ports. */
export const defaultNodePorts: PortRange = { first: 30000, last: 32767 };

/** A port that cannot be allocated. */
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

/** Ports that requests hold until they are stored. The lookup identifies the server. */
const held = new WeakMap<Lookup, Set<number>>();

/** The ports as one request sees them. `release` frees the ports that the request took. */
export class NodePortPool {
  readonly #context: RuleContext;
  readonly #own: ReadonlySet<number>;
  readonly #taken = new Set<number>();
  #used: Set<number> | undefined;

  /** The service keeps the ports that it already has. */
  constructor(context: RuleContext, old: Service | undefined) {
    this.#context = context;
    this.#own = new Set(old === undefined ? [] : portsOf(old));
  }

  /** Releases the holds of stored services: from then on the stored objects determine which ports are in use. */
  static settle(lookup: Lookup, services: readonly Service[]): void {
    for (const port of services.flatMap(portsOf)) held.get(lookup)?.delete(port);
  }

  /** Takes the requested port. */
  take(port: number, path: string): void {
    const why = this.#refusal(port);
    if (why !== undefined) throw new NodePortError(path, port, why);
    this.#hold(port);
  }

  /** Takes a health check port. kube-apiserver reports its failure as an internal error. */
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

  /** A dry run returns a port beyond the range, which is never allocated. */
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
    // A dry run does not check the range.
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
