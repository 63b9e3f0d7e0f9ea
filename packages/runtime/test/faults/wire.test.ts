/** Faults of networks and servers, against the embedded and the real API server: the final state is correct. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { TestContext } from "node:test";
import { isDeepStrictEqual } from "node:util";
import { startApiServer } from "@capstan/apiserver";
import { createClient, inProcess, loadConfig, noRetry, processHost } from "@capstan/client";
import type { Transport } from "@capstan/client";
import { ConfigMap } from "@capstan/kinds/v1";
import { kubernetesMissing, useKubernetes } from "@capstan/kubernetes";
import type { StoredObject } from "@capstan/model";
import type { Api } from "../../src/api.ts";
import { Informer } from "../../src/cache/informer.ts";
import { apiOf } from "../../src/client-api.ts";
import { sleep, systemClock } from "../../src/clock.ts";
import type { Clock } from "../../src/clock.ts";
import { controller } from "../../src/define.ts";
import { silentLog } from "../../src/log.ts";
import { installCrds } from "../../src/crds/crds.ts";
import { Lease } from "../../src/leader/lease.ts";
import { RunningOperator } from "../../src/manager/operator.ts";
import { usualTuning } from "../../src/watch/states.ts";
import { startBreakingWire, startProxy } from "./proxy.ts";
import type { Passing, Proxy, WireFault } from "./proxy.ts";
import { Widget } from "./world.ts";

/** Short timeouts, so that a test need not wait for minutes; the rules are the same. */
const tuning = {
  ...usualTuning,
  firstDelay: 20,
  longestDelay: 200,
  shortConnection: 50,
  idle: 1_500,
  notServedDelay: 100,
};

interface Stage {
  readonly namespace: string;
  /** The users' API, without faults. */
  readonly api: Api;
  readonly upstreams: readonly Transport[];
}

type SetStage = (t: TestContext) => Promise<Stage>;

// The users of this test change objects more often than a hot loop would.
const hotLoopLimit = { writes: 10_000, within: 60_000 };
const widget = controller(Widget, { owns: [ConfigMap], hotLoopLimit }, async ({ object, apply, status }) => {
  await apply(ConfigMap, object.metadata.name, { data: { size: String(object.spec.size) } });
  status.text = `size ${object.spec.size}`;
});

async function onEmbedded(): Promise<Stage> {
  const upstream = inProcess((await startApiServer()).fetch);
  const api = apiOf(createClient(upstream));
  await installCrds([widget], { api, clock: systemClock, manager: "test" });
  return { namespace: "default", api, upstreams: [upstream] };
}

async function onReal(t: TestContext): Promise<Stage> {
  const cluster = await useKubernetes(t, { peers: 1 });
  const config = await loadConfig(processHost(), { kubeconfig: cluster.kubeconfig });
  const clients = cluster.servers.map(({ server }) =>
    createClient({ ...config, cluster: { ...config.cluster, server } }),
  );
  t.after(() => Promise.all(clients.map((client) => client.close())));
  const [first] = clients;
  assert.ok(first !== undefined && clients.length === 2);
  const api = apiOf(first);
  await installCrds([widget], { api, clock: systemClock, manager: "test" });
  return { namespace: cluster.namespace, api, upstreams: clients.map(({ transport }) => transport) };
}

async function until(holds: () => boolean | Promise<boolean>, what: () => string): Promise<void> {
  const end = systemClock.now() + 180_000;
  while (!(await holds())) {
    assert.ok(systemClock.now() < end, `waited in vain until ${what()}`);
    await sleep(systemClock, 25);
  }
}

const versionsOf = (objects: readonly StoredObject[]): string =>
  objects
    .map(({ metadata }) => `${metadata.name}@${metadata.resourceVersion}`)
    .toSorted()
    .join(" ");

/** Whole objects by uid, without managed fields, which caches store in another form. */
function pictureOf(objects: readonly StoredObject[]): ReadonlyMap<string, unknown> {
  return new Map(
    objects.map((object) => [object.metadata.uid, { ...object, metadata: { ...object.metadata, managedFields: [] } }]),
  );
}

const NAMES = ["a", "b", "c", "d", "e"];

/** An operator behind a proxy, and users with a direct connection. */
class Play implements AsyncDisposable {
  readonly #stage: Stage;
  readonly proxy: Proxy;
  readonly operator: RunningOperator;
  readonly witness: Informer;
  readonly #client: AsyncDisposable;
  size = 0;

  constructor(stage: Stage, proxy: Proxy, api: Api & AsyncDisposable, clock: Clock) {
    this.#stage = stage;
    this.proxy = proxy;
    this.#client = api;
    const options = { api, clock, log: silentLog, namespaces: [stage.namespace], watchTuning: tuning };
    this.operator = new RunningOperator({ name: "test", controllers: [widget] }, options);
    const scope = { namespace: stage.namespace };
    this.witness = new Informer({ api, kind: Widget, scopes: [scope], clock, random: () => 0.5, tuning });
  }

  static async open(stage: Stage, clock: Clock = systemClock): Promise<Play> {
    const proxy = await startProxy(...stage.upstreams);
    const client = createClient(await proxy.config(), { retry: noRetry, timeoutMs: 10_000 });
    const api = { ...apiOf(client), [Symbol.asyncDispose]: () => client.close() };
    return new Play(stage, proxy, api, clock);
  }

  /** Users change every object, delete and recreate one, and delete a child. */
  async change(): Promise<void> {
    const { api, namespace } = this.#stage;
    const by = { manager: "user", force: true };
    this.size++;
    const missing = (): undefined => undefined;
    await api.delete(Widget, { namespace, name: "c" }, {}).catch(missing);
    await api.delete(ConfigMap, { namespace, name: "a" }, {}).catch(missing);
    for (const name of NAMES) {
      const object = {
        apiVersion: "example.com/v1",
        kind: "Widget",
        metadata: { namespace, name },
        spec: { size: this.size },
      };
      await api.apply(Widget, object, by);
    }
  }

  /** Waits until every child and every status exists, and the operator's cache equals the server's state. */
  async settled(): Promise<void> {
    const { api, namespace } = this.#stage;
    let why = "";
    const holds = async (): Promise<boolean> => {
      const [widgets, maps] = await Promise.all([api.list(Widget, { namespace }), api.list(ConfigMap, { namespace })]);
      const sizes = maps.items.filter(({ metadata }) => NAMES.includes(metadata.name)) as unknown as {
        data: { size: string };
      }[];
      const statuses = widgets.items as unknown as { status?: { text: string } }[];
      why = JSON.stringify({
        size: this.size,
        sizes: sizes.map(({ data }) => data.size),
        statuses: statuses.map(({ status }) => status),
        health: this.operator.health,
      });
      // A snapshot does not include the operator's own kind: an informer beside it, over the same proxy, shows it.
      const known = [...this.operator.snapshot(), ...this.witness.known()].flatMap(({ objects }) => objects);
      return (
        sizes.length === NAMES.length &&
        sizes.every(({ data }) => data.size === String(this.size)) &&
        statuses.every(({ status }) => status?.text === `size ${this.size}`) &&
        isDeepStrictEqual(pictureOf(known), pictureOf([...widgets.items, ...maps.items])) &&
        this.operator.health[0]?.objects === widgets.items.length &&
        this.operator.health.every(({ isFailing }) => !isFailing)
      );
    };
    await until(holds, () => `everything has size ${this.size}: ${why}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.proxy.decide = () => undefined;
    await this.operator.stop();
    await this.witness[Symbol.asyncDispose]();
    await this.#client[Symbol.asyncDispose]();
    await this.proxy[Symbol.asyncDispose]();
  }
}

const every = (fault: WireFault) => (): WireFault => fault;
const watches =
  (fault: WireFault) =>
  (passing: Passing): WireFault | undefined =>
    passing.isWatch ? fault : undefined;
const sometimes = (faults: readonly WireFault[]) => {
  let count = 0;
  return (): WireFault | undefined => (++count % 3 === 0 ? faults[(count / 3) % faults.length] : undefined);
};

const userFailures: readonly (readonly [string, (passing: Passing) => WireFault | undefined])[] = [
  ["410 on every watch", watches({ fault: "status", status: 410, reason: "Expired" })],
  [
    "429 with Retry-After on everything",
    every({ fault: "status", status: 429, reason: "TooManyRequests", retryAfter: 1 }),
  ],
  ["500 on everything", every({ fault: "status", status: 500, reason: "InternalError" })],
  ["watches that break after a while", watches({ fault: "cut", after: 700, how: "break" })],
  ["frames that are cut off although the answer ends well", watches({ fault: "cut", after: 1_111, how: "end" })],
  ["answers in tiny pieces", every({ fault: "slow", piece: 60, pause: 2 })],
  ["watches that fall silent", watches({ fault: "silence", after: 400 })],
  [
    "answers to writes that are lost",
    ({ isWrite }) => (isWrite ? { fault: "cut", after: 0, how: "break" } : undefined),
  ],
  [
    "now this, now that",
    sometimes([
      { fault: "status", status: 500, reason: "InternalError" },
      { fault: "cut", after: 300, how: "break" },
      { fault: "status", status: 503, reason: "ServiceUnavailable" },
      { fault: "cut", after: 900, how: "end" },
    ]),
  ],
];

function tell(where: string, setStage: SetStage, skip: string | false): void {
  describe(`on ${where}`, { skip }, () => {
    test("whatever the network and the server do, every change arrives in the end", async (t) => {
      const stage = await setStage(t);
      await using play = await Play.open(stage);
      await play.change();
      await play.settled();
      for (const [name, decide] of userFailures) {
        await t.test(name, async () => {
          play.proxy.decide = decide;
          play.proxy.breakAll();
          await play.change();
          // Long enough to meet the fault, whatever it is; only the state after it counts.
          const before = play.proxy.seen.length;
          await until(
            () => play.proxy.seen.length > before + 3,
            () => "the operator meets the trouble",
          );
          await play.change();
          play.proxy.decide = () => undefined;
          await play.settled();
        });
      }
    });

    test("a jump of the wall clock changes nothing", async (t) => {
      const stage = await setStage(t);
      let offset = 0;
      const clock: Clock = { ...systemClock, wall: () => systemClock.wall() + offset };
      await using play = await Play.open(stage, clock);
      for (const jump of [7_200_000, -86_400_000, 31_536_000_000]) {
        offset += jump;
        await play.change();
        await play.settled();
      }
    });

    test("nothing is written after the lease is lost", async (t) => {
      const { api, namespace } = await setStage(t);
      const late: string[] = [];
      let isLost = false;
      const [entered, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const ended = Promise.withResolvers<string>();
      // A reconcile is running when the lease is lost, and does not observe its signal.
      const deaf = controller(Widget, { owns: [ConfigMap] }, async ({ object, apply }) => {
        entered.resolve();
        await goOn.promise;
        const written = apply(ConfigMap, object.metadata.name, { data: { size: "1" } });
        ended.resolve(
          await written.then(
            () => "written",
            () => "refused",
          ),
        );
      });
      const leaderElection = {
        namespace,
        identity: "one",
        tuning: { duration: 15_000, deadline: 10_000, period: 200 },
      };
      const operator = new RunningOperator(
        { controllers: [deaf], name: "lease" },
        {
          api,
          log: silentLog,
          namespaces: [namespace],
          leaderElection,
          onWrite: (_name, { key }) => void (isLost && late.push(key)),
        },
      );
      const object = { apiVersion: "example.com/v1", kind: "Widget", metadata: { namespace, name: "late" }, spec: {} };
      await api.apply(Widget, object, { manager: "user" });
      await entered.promise;
      const steal = { spec: { holderIdentity: "somebody else", leaseDurationSeconds: 3600 } };
      await api.patch(Lease, { namespace, name: "lease" }, steal, { type: "merge", manager: "thief" });
      await operator.lost;
      isLost = true;
      goOn.resolve();
      assert.equal(await ended.promise, "refused");
      await assert.rejects(api.get(ConfigMap, { namespace, name: "late" }), { code: "NotFound" });
      await operator.stop(0);
      assert.deepEqual(late, []);
    });

    test("a watch that is cut at each of its bytes loses nothing and invents nothing", async (t) => {
      const { api, namespace, upstreams } = await setStage(t);
      for (const name of ["cut-a", "cut-b"]) {
        const object = {
          apiVersion: "v1",
          kind: "ConfigMap",
          metadata: { namespace, name, labels: { cut: "yes" } },
          data: { text: "é" },
        };
        await api.create(ConfigMap, object as never, { manager: "user" });
      }
      const wanted = versionsOf((await api.list(ConfigMap, { namespace, labelSelector: "cut=yes" })).items);
      await using proxy = await startProxy(...upstreams);
      const done = new Set<string>();
      let length = 1;
      proxy.decide = ({ url, isWatch }) => {
        const [, cut] = /^\/cut\/(\d+)\//u.exec(url.pathname) ?? [];
        if (cut === undefined || !isWatch || done.has(cut)) return undefined;
        done.add(cut);
        return { fault: "cut", after: Number(cut), how: "break" };
      };
      const whole = createClient(await proxy.config(), { retry: noRetry });
      for await (const chunk of (
        await whole.transport.request({ method: "GET", headers: {}, path: watchPath(namespace) })
      ).body) {
        length += chunk.length;
        if (Buffer.from(chunk).includes("initial-events-end")) break;
      }
      await whole.close();
      const cutAt = async (cut: number): Promise<void> => {
        await using client = createClient(await proxy.config(`/cut/${cut}`), { retry: noRetry });
        const scope = { namespace, labelSelector: "cut=yes" };
        const own = { clock: systemClock, random: () => 0.5, tuning: { ...tuning, firstDelay: 1, longestDelay: 5 } };
        await using informer = new Informer({ api: apiOf(client), kind: ConfigMap, scopes: [scope], ...own });
        const seen: string[] = [];
        informer.subscribe(({ type, key }) => void seen.push(`${type} ${key}`));
        await until(
          () => done.has(String(cut)) && versionsOf(informer.find({})) === wanted,
          () => `cut at ${cut}: ${wanted}`,
        );
        assert.ok(seen.every((note) => note.startsWith("added")) && seen.length === 2, `cut at ${cut}: ${seen.join()}`);
      };
      const hands = Array.from({ length: 8 }, async (_, hand) => {
        for (let cut = hand; cut < length; cut += 8) await cutAt(cut);
      });
      await Promise.all(hands);
      assert.equal(done.size, length);
    });
  });
}

function watchPath(namespace: string): string {
  const query =
    "watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&labelSelector=cut%3Dyes";
  return `/api/v1/namespaces/${namespace}/configmaps?${query}`;
}

tell("the embedded API server", onEmbedded, false);
tell("the real API server", onReal, kubernetesMissing());

describe("with real API servers", { skip: kubernetesMissing() }, () => {
  test("two servers behind one address, one slightly stale, look like one", async (t) => {
    const stage = await onReal(t);
    await using play = await Play.open(stage);
    const asked = { watches: 0, others: 0 };
    play.proxy.choose = ({ isWatch }) => asked[isWatch ? "watches" : "others"]++ % 2;
    // Watches are sent to the other server again and again, with the version of the previous one.
    play.proxy.decide = ({ isWatch }) =>
      isWatch && asked.watches < 30
        ? { fault: "cut", after: 500 + (asked.watches % 8) * 500, how: "break" }
        : undefined;
    for (let round = 0; round < 10; round++) await play.change();
    while (asked.watches < 20 || asked.others < 20) {
      const before = asked.watches + asked.others;
      await play.change();
      await until(
        () => asked.watches + asked.others > before,
        () => `each server was asked: ${asked.watches} watches, ${asked.others} others`,
      );
    }
    await play.settled();
  });

  test("a connection that breaks anywhere in TLS and HTTP/2 is recovered", async (t) => {
    const cluster = await useKubernetes(t);
    const config = await loadConfig(processHost(), { kubeconfig: cluster.kubeconfig });
    await using straight = createClient(config);
    const api = apiOf(straight);
    await installCrds([widget], { api, clock: systemClock, manager: "test" });
    let cut = 0;
    let isBreaking = true;
    const cutAfter = (): number => (isBreaking ? (cut = (cut * 5 + 997) % 20_011) : Infinity);
    await using wire = await startBreakingWire(Number(new URL(cluster.server).port), cutAfter);
    const broken = createClient(
      { ...config, cluster: { ...config.cluster, server: `https://127.0.0.1:${wire.port}` } },
      { retry: noRetry },
    );
    t.after(() => broken.close());
    const { namespace } = cluster;
    const stage: Stage = { namespace, api, upstreams: [broken.transport] };
    await using play = await Play.open(stage);
    for (let round = 0; round < 10; round++) await play.change();
    await until(
      () => cut !== 0,
      () => "wires were cut",
    );
    // From here on connections hold: a watch that is cut repeatedly may be between two attempts at any time.
    isBreaking = false;
    await play.settled();
  });
});
