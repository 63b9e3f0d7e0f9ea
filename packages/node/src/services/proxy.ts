/** Keeps the addresses and the names of services in step with the cluster: packet filter rules for one, a zone for the other. */
import type { Client, Clock, Timer } from "@capstan/client";
import { EndpointSlice } from "@capstan/kinds/discovery.k8s.io/v1";
import { Node, Service } from "@capstan/kinds/v1";
import { follow } from "../agent/follow.ts";
import { formatReply, parseQuestion, type Question, type Reply } from "../names/message.ts";
import { lookUp, zoneOf, type Zone } from "../names/zone.ts";
import { strayMark } from "./stray.ts";
import { formatChange, serviceRules, type NodePlace, type RuleSet } from "./rules.ts";

/** What a proxy works with. */
export interface ServiceProxyOptions {
  readonly client: Client;
  readonly clock: Clock;
  /** Replaces the rules of the packet filter. */
  readonly setRules: (ruleset: string) => Promise<void>;
  /** Ends what the packet filter knows of connections with these marks. */
  readonly forgetFlows?: (marks: readonly number[]) => Promise<void>;
  /** `cluster.local` unless said otherwise. */
  readonly domain?: string;
  /** Where nodes are, for services that are served by particular ones; all nodes serve all without it. */
  readonly nodes?: () => ReadonlyMap<string, Pick<NodePlace, "address" | "pods">>;
  /** Finds names that are not the cluster's; without it they do not exist. */
  readonly upstream?: (question: Buffer) => Promise<Buffer | undefined>;
  /** Told when rules were refused. */
  readonly report?: (error: unknown) => void;
}

/** A proxy that runs. */
export interface ServiceProxy extends Disposable {
  /** Answers a question about a name. */
  answer(question: Buffer): Promise<Buffer | undefined>;
  /** Resolves when all that is known is in force. */
  settled(): Promise<void>;
  stop(): void;
}

/** Changes that come together are put in force together. */
const gatherFor = 20;

/** Starts to follow services. */
export function startServiceProxy(options: ServiceProxyOptions): ServiceProxy {
  const { client, clock, domain = "cluster.local" } = options;
  const ending = new AbortController();
  const services = new Map<string, Service>();
  const slices = new Map<string, EndpointSlice>();
  const zones = new Map<string, string>();
  const inForce = new Enforcement(options, () =>
    serviceRules([...services.values()], [...slices.values()], placesOf(options, zones)),
  );
  let zone: Zone | undefined;
  const changed = (): void => {
    zone = undefined;
    inForce.request();
  };
  const into = <T extends { readonly metadata: { readonly uid?: string } }>(
    all: Map<string, T>,
    synced: () => void,
  ) => ({
    seen: (object: T) => (all.set(object.metadata.uid ?? "", object), changed()),
    gone: (object: T) => (all.delete(object.metadata.uid ?? ""), changed()),
    synced,
  });
  const nodeFollower = {
    seen({ metadata: { name, labels = {} } }: Node) {
      const zoneName = labels["topology.kubernetes.io/zone"] ?? "";
      if (zones.get(name) === zoneName) return;
      zones.set(name, zoneName);
      changed();
    },
    gone: ({ metadata: { name } }: Node) => zones.delete(name) && changed(),
    synced: () => {},
  };
  const common = { client, clock, signal: ending.signal };
  if (options.nodes !== undefined) void follow(Node, nodeFollower, common);
  const ready = Promise.all([
    new Promise<void>((resolve) => void follow(Service, into(services, resolve), common)),
    new Promise<void>((resolve) => void follow(EndpointSlice, into(slices, resolve), common)),
  ]);
  const stop = (): void => {
    ending.abort();
    inForce.stop();
  };
  return {
    async answer(bytes) {
      const question = parseQuestion(bytes);
      if (question === undefined) return undefined;
      zone ??= zoneOf([...services.values()], [...slices.values()], domain);
      const reply = refusalOf(question) ?? lookUp(zone, domain, question);
      if (reply === undefined && options.upstream !== undefined) return options.upstream(bytes);
      return formatReply(question, reply ?? unknown);
    },
    async settled() {
      await ready;
      await inForce.settled();
    },
    stop,
    [Symbol.dispose]: stop,
  };
}

function placesOf(
  { nodes }: ServiceProxyOptions,
  zones: ReadonlyMap<string, string>,
): ReadonlyMap<string, NodePlace> | undefined {
  const known = nodes?.();
  return known && new Map(Array.from(known, ([name, place]) => [name, { ...place, zone: zones.get(name) ?? "" }]));
}

/** Nothing can be changed here, and there are names of the Internet only. */
function refusalOf({ operation, class: classOfNames }: Question): Reply | undefined {
  if (operation !== 0) return { code: "not implemented", ...empty };
  return classOfNames === 1 ? undefined : { code: "refused", ...empty };
}

const empty: Omit<Reply, "code"> = { isFinal: false, answers: [], authority: [], additional: [] };

/** Names of elsewhere: pods reach nothing there, and whoever is told so at once need not wait for it. */
const unknown: Reply = { code: "no such name", ...empty };

/** Whether there are more places to which datagrams may go. */
function opensMore(before: RuleSet | undefined, { elements }: RuleSet): boolean {
  return (["addresses", "node-ports", "local-ports"] as const).some((table) =>
    elements[table].keys().some((key) => key.includes("udp . ") && before?.elements[table].has(key) !== true),
  );
}

/** Puts rules in force, one set at a time, the newest last. */
class Enforcement {
  readonly #options: ServiceProxyOptions;
  readonly #make: () => RuleSet;
  #timer: Timer | undefined;
  #running: Promise<void> = Promise.resolve();
  /** What is in force; `undefined` when that is not known. */
  #last: RuleSet | undefined;
  /** What connections may be marked with. */
  #marks: ReadonlySet<number> = new Set();

  constructor(options: ServiceProxyOptions, make: () => RuleSet) {
    this.#options = options;
    this.#make = make;
  }

  request(): void {
    this.#timer ??= this.#options.clock.later(gatherFor, () => this.#now());
  }

  async settled(): Promise<void> {
    if (this.#timer !== undefined) this.#now();
    await this.#running;
  }

  stop(): void {
    this.#timer?.cancel();
  }

  #now(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#running = this.#running.then(async () => {
      const rules = this.#make();
      const change = formatChange(this.#last, rules);
      if (change === "") return;
      const before = this.#last;
      const isWhole = before === undefined;
      this.#last = undefined;
      await this.#options.setRules(change).catch(async (error: unknown) => {
        // What is in force may be something else than was thought: then everything is said anew.
        if (isWhole) throw error;
        await this.#options.setRules(formatChange(undefined, rules));
      });
      this.#last = rules;
      const gone = [...this.#marks].filter((mark) => !rules.marks.has(mark));
      const strays =
        [...rules.marks].every((mark) => this.#marks.has(mark)) && !opensMore(before, rules) ? [] : [strayMark];
      this.#marks = rules.marks;
      if (gone.length + strays.length > 0) await this.#options.forgetFlows?.([...gone, ...strays]);
    });
    this.#running = this.#running.catch((error: unknown) => this.#options.report?.(error));
  }
}
