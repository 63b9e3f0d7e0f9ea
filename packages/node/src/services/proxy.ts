/** Keeps service addresses and DNS names in sync with the cluster: nftables rules for one, a zone for the other. */
import type { Client, Clock, Timer } from "@capstan/client";
import { EndpointSlice } from "@capstan/kinds/discovery.k8s.io/v1";
import { Node, Service } from "@capstan/kinds/v1";
import { follow } from "../agent/follow.ts";
import { formatReply, parseQuestion, type Question, type Reply } from "../names/message.ts";
import { lookUp, zoneOf, type Zone } from "../names/zone.ts";
import { strayMark } from "./stray.ts";
import { formatChange, serviceRules, type NodePlace, type RuleSet } from "./rules.ts";

/** What a proxy needs. */
export interface ServiceProxyOptions {
  readonly client: Client;
  readonly clock: Clock;
  /** Replaces the nftables rules. */
  readonly setRules: (ruleset: string) => Promise<void>;
  /** Deletes conntrack entries with these marks. */
  readonly forgetFlows?: (marks: readonly number[]) => Promise<void>;
  /** Default: `cluster.local`. */
  readonly domain?: string;
  /** The addresses of nodes, for services with local traffic policies. Without it all nodes use all backends. */
  readonly nodes?: () => ReadonlyMap<string, Pick<NodePlace, "address" | "pods">>;
  /** Resolves external names; without it they do not exist. */
  readonly upstream?: (question: Buffer) => Promise<Buffer | undefined>;
  /** Receives errors of rejected rules. */
  readonly report?: (error: unknown) => void;
}

export interface ServiceProxy extends Disposable {
  /** Responds to a DNS query. */
  answer(question: Buffer): Promise<Buffer | undefined>;
  /** Resolves when all known changes are applied. */
  settled(): Promise<void>;
  stop(): void;
}

/** Changes within this time are applied together. */
const gatherFor = 20;

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

/** Updates are not implemented, and only the class IN exists. */
function refusalOf({ operation, class: classOfNames }: Question): Reply | undefined {
  if (operation !== 0) return { code: "not implemented", ...empty };
  return classOfNames === 1 ? undefined : { code: "refused", ...empty };
}

const empty: Omit<Reply, "code"> = { isFinal: false, answers: [], authority: [], additional: [] };

/** External names: pods cannot reach external hosts, and an immediate negative response saves them a timeout. */
const unknown: Reply = { code: "no such name", ...empty };

/** Whether there are new destinations for UDP packets. */
function opensMore(before: RuleSet | undefined, { elements }: RuleSet): boolean {
  return (["addresses", "node-ports", "local-ports"] as const).some((table) =>
    elements[table].keys().some((key) => key.includes("udp . ") && before?.elements[table].has(key) !== true),
  );
}

/** Applies rules, one set at a time, the newest last. */
class Enforcement {
  readonly #options: ServiceProxyOptions;
  readonly #make: () => RuleSet;
  #timer: Timer | undefined;
  #running: Promise<void> = Promise.resolve();
  /** The applied rules; `undefined` if unknown. */
  #last: RuleSet | undefined;
  /** The marks that conntrack entries may have. */
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
        // The applied rules may differ from the expected ones: then the whole set is written again.
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
