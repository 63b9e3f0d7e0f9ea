/**
 * One random world: a controller in two replicas, users and rivals that change objects, and two API servers with faults, all from one
 * seed.
 */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import type { Kind, KubeObject, StoredMeta, StoredObject } from "@capstan/model";
import { defineResource, s } from "@capstan/schema";
import type { Api } from "../../src/api.ts";
import { Informer } from "../../src/cache/informer.ts";
import { unlessAborted } from "../../src/clock.ts";
import { controller } from "../../src/define.ts";
import type { Controller } from "../../src/define.ts";
import { silentLog } from "../../src/log.ts";
import { Lease } from "../../src/leader/lease.ts";
import type { LeaseObject } from "../../src/leader/lease.ts";
import { RunningOperator } from "../../src/manager/operator.ts";
import { errors, faultyApi } from "../../src/testing/faulty-api.ts";
import type { Call, Fault } from "../../src/testing/faulty-api.ts";
import { VirtualClock } from "../../src/testing/clock.ts";
import { ModelApi } from "../model-api.ts";
import { BehindApi } from "./behind-api.ts";
import { Books } from "./books.ts";
import { Strangers } from "./strangers.ts";
import { Witness } from "./witness.ts";

interface ConfigMapObject extends KubeObject {
  readonly metadata: StoredMeta;
  readonly data?: { readonly [key: string]: string };
}

export const ConfigMap: Kind<ConfigMapObject, { readonly data?: { readonly [key: string]: string } }, "Namespaced"> = {
  group: "",
  version: "v1",
  kind: "ConfigMap",
  plural: "configmaps",
  scope: "Namespaced",
};

export const Widget = defineResource({
  group: "example.com",
  version: "v1",
  kind: "Widget",
  spec: s.object({ size: s.int32().default(1), parts: s.int32().default(1) }),
  status: s.object({ text: s.string().default(""), parts: s.record(s.string()).optional() }),
  conditions: { Ready: "everything is there" },
});

/** A small pseudorandom generator: the same seed gives the same world. */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const CHAOS = 90_000;
const SLOW = 40_000;
const PEACE = 400_000;
const NAMES = ["a", "b", "c", "d", "e"] as const;

/** Faults everywhere; no faults but slow writes; no faults. */
type Mood = "chaos" | "slow" | "peace";

/** The statistics of a world. */
export interface WorldReport {
  readonly reconciles: number;
  readonly writes: number;
  readonly faults: number;
  /** Equal for two runs of the same seed. */
  readonly digest: string;
}

export class World {
  readonly clock = new VirtualClock();
  readonly #random: () => number;
  readonly api = new ModelApi(() => this.clock.wall());
  /** The other server of the same store, which is stale now and then. */
  readonly #behind = new BehindApi(this.api);
  readonly replicas: { readonly id: string; readonly operator: RunningOperator }[] = [];
  readonly #books = new Books();
  readonly #strangers = new Strangers(this.api, this.#books.violations);
  readonly #watched: Informer[] = [];
  #mood: Mood = "chaos";
  readonly #journal = createHash("sha256");
  #reconcileCount = 0;
  #faultCount = 0;

  constructor(seed: number) {
    this.#random = randomFrom(seed);
    this.api.changesAmidList = () => (this.#mood === "chaos" ? Math.floor(this.#random() * 6) : 0);
  }

  /** Runs the whole world. */
  async run(): Promise<WorldReport> {
    this.replicas.push(this.#replica("one"), this.#replica("two"));
    this.#watched.push(this.#witness(Widget), this.#witness(ConfigMap));
    while (this.clock.now() < CHAOS) {
      await this.#act();
      await this.clock.advance(this.#random() ** 3 * 3000);
    }
    await this.#strangers.leave();
    await this.#changeDuringReconciles();
    this.#mood = "peace";
    await this.#settle();
    this.#check();
    await Promise.all(this.replicas.map(({ operator }) => this.#finish(operator.stop())));
    for (const informer of this.#watched) await this.#finish(informer[Symbol.asyncDispose]());
    await this.#finish(this.#behind[Symbol.asyncDispose]());
    assert.deepEqual(this.#books.violations, []);
    const { writes } = this.api;
    const digest = this.#journal.update(JSON.stringify(writes)).digest("hex");
    return { reconciles: this.#reconcileCount, writes: writes.length, faults: this.#faultCount, digest };
  }

  /** The last changes happen during slow reconciles without faults: there is no restart or list afterwards, so a lost event stays lost. */
  async #changeDuringReconciles(): Promise<void> {
    this.#mood = "slow";
    this.#behind.release();
    const end = this.clock.now() + SLOW;
    while (this.clock.now() < end) {
      const key = { namespace: "default", name: this.#oneOf(NAMES) };
      const spec = { size: Math.floor(this.#random() * 100), parts: Math.floor(this.#random() * 41) };
      await this.api.patch(Widget, key, { spec }, { manager: "user", type: "merge" }).catch(() => undefined);
      await this.clock.advance(this.#random() * 2000);
    }
  }

  #oneOf<T>(all: readonly [T, ...T[]]): T {
    return all[Math.floor(this.#random() * all.length)] ?? all[0];
  }

  /** A watch without an operator, through the same faults, that reports when an old state reappears. */
  #witness(kind: typeof Widget | typeof ConfigMap): Informer {
    const witness = new Witness(`the watch of ${kind.kind}`, this.#books.violations);
    const api = faultyApi(this.#balanced(), this.clock, (call) => this.#fault(call));
    const informer = new Informer({ api, kind, scopes: [{}], clock: this.clock, random: this.#random });
    informer.subscribe((change) => witness.hear(change));
    return informer;
  }

  /** Reads go to either server; writes reach the same store. */
  #balanced(): Api {
    const { api } = this;
    const one = (): Api => (this.#random() < 0.4 ? this.#behind : api);
    return {
      get: (kind, key) => one().get(kind, key),
      list: (kind, request) => one().list(kind, request),
      watch: (kind, request) => one().watch(kind, request),
      create: (kind, object, options) => api.create(kind, object, options),
      apply: (kind, object, options) => api.apply(kind, object, options),
      patch: (kind, key, body, options) => api.patch(kind, key, body, options),
      delete: (kind, key, options) => api.delete(kind, key, options),
    };
  }

  async #settle(): Promise<void> {
    const end = this.clock.now() + PEACE;
    while (this.clock.now() < end) {
      this.api.bookmark();
      await this.clock.advance(20_000);
      this.#restartLosers();
    }
  }

  async #finish(work: Promise<void>): Promise<void> {
    const over = new AbortController();
    void work.finally(() => over.abort());
    while (!over.signal.aborted) await this.clock.advance(100);
  }

  /** A process that lost the lease exits, and its Deployment starts a new one. */
  #restartLosers(): void {
    for (const [at, { id, operator }] of this.replicas.entries()) {
      if (!this.#lost.has(operator)) continue;
      this.#lost.delete(operator);
      void operator.stop(0);
      this.replicas[at] = this.#replica(`${id}'`);
    }
  }

  readonly #lost = new Set<RunningOperator>();

  #replica(id: string): { id: string; operator: RunningOperator } {
    const guarded = this.#guard(id);
    const operator = new RunningOperator(
      { name: "test", controllers: [this.#widget(id)] },
      {
        api: faultyApi(guarded, this.clock, (call) => this.#fault(call)),
        clock: this.clock,
        random: this.#random,
        log: silentLog,
        leaderElection: { namespace: "default", identity: id },
      },
    );
    void operator.lost.then(() => this.#lost.add(operator));
    return { id, operator };
  }

  /** A process is killed, and its Deployment starts a new one. */
  #kill(): void {
    const at = Math.floor(this.#random() * this.replicas.length);
    const died = this.replicas[at];
    if (died === undefined) return;
    this.#lost.delete(died.operator);
    void died.operator.kill();
    this.replicas[at] = this.#replica(`${died.id}'`);
  }

  /** Every write that reaches the server must come from the leader. */
  #guard(id: string): Api {
    const check = (kind: { readonly kind: string }): void => {
      if (kind.kind === "Lease" || kind.kind === "Event") return;
      const leads = this.replicas.some((replica) => replica.id === id && replica.operator.isLeader);
      const lease = this.api.peek(Lease, "default/test") as LeaseObject | undefined;
      this.#books.wrote(id, { leads, holder: lease?.spec?.holderIdentity ?? "" });
    };
    const noteHeld = (stored: StoredObject): StoredObject => {
      if (stored.kind === Widget.kind && stored.metadata.finalizers !== undefined)
        this.#books.held(stored.metadata.uid);
      return stored;
    };
    const api = this.#strangers.seenBy(this.#balanced(), id);
    return {
      ...api,
      create: (kind, object, options) => (check(kind), api.create(kind, object, options)),
      apply: (kind, object, options) => (check(kind), api.apply(kind, object, options)),
      patch: (kind, key, body, options) => (check(kind), api.patch(kind, key, body, options).then(noteHeld)),
      delete: (kind, key, options) => (check(kind), api.delete(kind, key, options)),
    };
  }

  #widget(replica: string): Controller {
    const witness = new Witness(`replica ${replica}`, this.#books.violations);
    return controller(
      Widget,
      {
        owns: [ConfigMap],
        cleanup: ({ object }) => this.#books.cleaned(object.metadata.uid),
        daemon: async ({ object, signal }) => {
          const uid = object()?.metadata.uid;
          if (uid === undefined) throw new Error("it is not there yet");
          using _running = this.#books.daemon(uid, { replica, signal });
          await unlessAborted(new Promise(() => undefined), signal);
        },
      },
      async ({ object, apply, find, status, step, signal }) => {
        const { name, uid, generation } = object.metadata;
        this.#reconcileCount++;
        this.#journal.update(`${this.clock.now()} ${replica} ${name}\n`);
        witness.read(object);
        using _request = this.#books.request(name, { replica, signal });
        if (object.spec.size % 4 === 0)
          await step("once", ({ resumed }) => this.#books.step(uid, generation, resumed), { input: generation ?? 0 });
        for (let part = 0; part < object.spec.parts; part++) {
          await apply(ConfigMap, `${name}-${part}`, { data: { size: String(object.spec.size) } });
        }
        if (this.#mood === "chaos" && this.#random() < 0.05) throw new Error("user code fails now and then");
        const [found] = find(ConfigMap, { namespace: "shared", labels: { widget: name } });
        if (found !== undefined) witness.read(found);
        const rival = found?.data?.["note"] ?? "none";
        status.text = `size ${object.spec.size}, note ${rival}`;
        status.parts = Object.fromEntries(
          Array.from({ length: object.spec.parts }, (_, part) => [`part-${part}`, name]),
        );
        status.condition("Ready", true);
      },
    );
  }

  #fault(call: Call): Fault | undefined {
    const fault = this.#faultIn(this.#mood, call);
    if (fault !== undefined) this.#faultCount++;
    return fault;
  }

  #faultIn(mood: Mood, call: Call): Fault | undefined {
    switch (mood) {
      case "chaos":
        return this.#drawFault(call);
      case "slow":
        return call.isWrite && call.kind.kind !== "Lease" ? { fault: "delay", by: this.#random() * 300 } : undefined;
      case "peace":
        return undefined;
    }
  }

  #drawFault({ verb, isWrite }: Call): Fault | undefined {
    const dice = this.#random();
    if (verb === "watch") {
      const after = Math.floor(this.#random() * 6);
      if (dice < 0.25) return { fault: "break", after, how: "error" };
      if (dice < 0.4) return { fault: "break", after, how: "close" };
      if (dice < 0.5) return { fault: "silence", after };
    }
    if (dice > 0.97) return { fault: "refuse", error: errors.internal() };
    if (dice > 0.94) return { fault: "refuse", error: errors.throttled(2000) };
    if (dice > 0.91) return { fault: "refuse", error: errors.connectionLost() };
    if (dice > 0.7) return { fault: "delay", by: this.#random() * 4000 };
    if (isWrite && dice > 0.66) return { fault: "lose the answer" };
    return undefined;
  }

  /** A random change of the world. */
  async #act(): Promise<void> {
    const name = this.#oneOf(NAMES);
    const key = { namespace: "default", name };
    const size = Math.floor(this.#random() * 100);
    // Mostly a few, now and then more than the queue keeps triggers for.
    const parts = Math.floor(this.#random() ** 4 * 41);
    const by = { manager: "user" };
    const actions: readonly (() => Promise<unknown> | void)[] = [
      () => this.api.create(Widget, object(Widget, "default", name, { spec: { size, parts } }), by),
      () => this.api.patch(Widget, key, { spec: { size, parts } }, { ...by, type: "merge" }),
      () => this.api.delete(Widget, key, {}),
      () => this.api.delete(ConfigMap, { namespace: "default", name: `${name}-0` }, {}),
      () => this.#strangers.come(`${name}-0`),
      () => this.#strangers.leave(),
      () =>
        this.api.patch(
          ConfigMap,
          { namespace: "default", name: `${name}-0` },
          { data: { size: "-1" } },
          { ...by, type: "merge" },
        ),
      () =>
        this.api.create(
          ConfigMap,
          object(ConfigMap, "shared", `note-${name}`, { labels: { widget: name }, data: { note: String(size) } }),
          by,
        ),
      () => this.api.delete(ConfigMap, { namespace: "shared", name: `note-${name}` }, {}),
      () => this.api.compact(),
      () => this.api.closeWatches(),
      () => this.api.closeWatches(errors.connectionLost()),
      () => this.api.bookmark(),
      () => this.#behind.hold(),
      () => this.#behind.release(),
      () => this.#behind.closeWatches(errors.connectionLost()),
      () => this.clock.jump((this.#random() - 0.5) * 7_200_000),
      () => this.#restartLosers(),
      () => this.#kill(),
    ];
    await Promise.resolve(actions[Math.floor(this.#random() * actions.length)]?.()).catch(() => undefined);
  }

  #check(): void {
    const widgets = this.api.all(Widget) as readonly WidgetObject[];
    const children = this.api.all(ConfigMap) as readonly ConfigMapObject[];
    for (const { metadata, spec, status } of widgets) {
      assert.equal(metadata.deletionTimestamp, undefined, `${metadata.name} was not let go`);
      const note = this.api.peek(ConfigMap, `shared/note-${metadata.name}`) as ConfigMapObject | undefined;
      const text = `size ${spec.size}, note ${note?.data?.["note"] ?? "none"}`;
      assert.equal(status?.text, text, `status of ${metadata.name}`);
      assert.equal(Object.keys(status.parts ?? {}).length, spec.parts, `parts in the status of ${metadata.name}`);
    }
    const found = children.filter(({ metadata }) => metadata.namespace === "default");
    assert.deepEqual(sizesOf(found), wantedOf(widgets));
    const uids = widgets.map(({ metadata }) => metadata.uid).sort();
    assert.deepEqual(this.#books.notCleaned(new Set(uids)), [], "gone without a cleanup");
    for (const { id, operator } of this.replicas) {
      const counts = operator.health.map((watch) => watch.objects);
      assert.deepEqual(counts, [widgets.length, children.length], `the caches of ${id} differ from the server`);
      // The snapshot of a replica does not include its own resources; the witnesses have them.
      assert.deepEqual(textsOf(operator.snapshot()), textsOf([{ objects: children }]), `the cache of ${id} differs`);
      assert.deepEqual(operator.controllers[0]?.counts.running, 0);
      assert.deepEqual(this.#books.daemonsOf(id), operator.isLeader ? uids : [], `daemons of ${id}`);
    }
    assert.equal(this.replicas.filter(({ operator }) => operator.isLeader).length, 1, "one leader");
    const seen = this.#watched.flatMap((informer) => informer.known());
    assert.deepEqual(
      textsOf(seen),
      textsOf([{ objects: widgets }, { objects: children }]),
      "what a witness saw differs",
    );
  }
}

interface WidgetObject extends StoredObject {
  readonly spec: { readonly size: number; readonly parts: number };
  readonly status?: { readonly text?: string; readonly parts?: object };
}

/** Maps are compared regardless of their order. */
function wantedOf(widgets: readonly WidgetObject[]): ReadonlyMap<string, string | undefined> {
  const wanted = new Map<string, string>();
  for (const { metadata, spec } of widgets) {
    for (let part = 0; part < spec.parts; part++) wanted.set(`${metadata.name}-${part}`, String(spec.size));
  }
  return wanted;
}

function sizesOf(children: readonly ConfigMapObject[]): ReadonlyMap<string, string | undefined> {
  return new Map(children.map(({ metadata, data }) => [metadata.name, data?.["size"]]));
}

/** Objects without managed fields, which caches store in another form. */
function textsOf(kinds: readonly { readonly objects: readonly KubeObject[] }[]): readonly string[] {
  const objects = kinds.flatMap((kind) => kind.objects);
  const text = ({ metadata, ...rest }: KubeObject): string =>
    JSON.stringify([{ ...metadata, managedFields: undefined }, rest]);
  return objects.map(text).sort();
}

function object(
  kind: { readonly group: string; readonly version: string; readonly kind: string },
  namespace: string,
  name: string,
  { labels, ...rest }: { readonly [field: string]: unknown },
): KubeObject {
  const apiVersion = kind.group === "" ? kind.version : `${kind.group}/${kind.version}`;
  const metadata = { namespace, name, ...(labels === undefined ? {} : { labels: labels as Record<string, string> }) };
  return { apiVersion, kind: kind.kind, metadata, ...rest };
}
