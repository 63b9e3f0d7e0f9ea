/** Two API servers of which one is stale: no event is lost, no deleted object reappears, and no stale state is written. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { TestContext } from "node:test";
import { startApiServer } from "@capstan/apiserver";
import { createClient, inProcess, loadConfig, noRetry, processHost } from "@capstan/client";
import { ConfigMap } from "@capstan/kinds/v1";
import { kubernetesMissing, useKubernetes } from "@capstan/kubernetes";
import type { KubeObject, ObjectKey } from "@capstan/model";
import type { Api } from "../../src/api.ts";
import { apiOf } from "../../src/client-api.ts";
import { sleep, systemClock } from "../../src/clock.ts";
import { controller } from "../../src/define.ts";
import { silentLog } from "../../src/log.ts";
import { installCrds } from "../../src/crds/crds.ts";
import { RunningOperator } from "../../src/manager/operator.ts";
import type { StartOptions } from "../../src/manager/operator.ts";
import { VirtualClock } from "../../src/testing/clock.ts";
import { errors } from "../../src/testing/faulty-api.ts";
import { usualTuning } from "../../src/watch/states.ts";
import { ModelApi } from "../model-api.ts";
import { BehindApi } from "./behind-api.ts";
import { standStill } from "./standstill.ts";
import { TwoServers } from "./two-servers.ts";
import { Witness } from "./witness.ts";
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
// The users of this test change objects more often than a hot loop would.
const hotLoopLimit = { writes: 10_000, within: 60_000 };

/** An operator between two servers, with its events and writes. */
class Play implements AsyncDisposable {
  readonly servers: TwoServers;
  readonly violations: string[] = [];
  /** The written sizes, by the name of the object. */
  readonly written = new Map<string, number[]>();
  readonly operator: RunningOperator;
  readonly #api: Api;
  readonly #namespace: string;

  constructor(
    api: Api,
    other: Api,
    namespace: string,
    { users = api, ...options }: Partial<StartOptions> & { readonly users?: Api } = {},
  ) {
    this.#api = users;
    this.#namespace = namespace;
    this.servers = new TwoServers(api, other);
    this.operator = new RunningOperator(
      { name: "test", controllers: [this.#widget()] },
      { api: this.servers, log: silentLog, namespaces: [namespace], watchTuning: tuning, ...options },
    );
  }

  #widget() {
    const witness = new Witness("a reconcile", this.violations);
    return controller(Widget, { owns: [ConfigMap], hotLoopLimit }, async ({ object, apply, status }) => {
      const { name } = object.metadata;
      witness.read(object);
      this.written.set(name, [...(this.written.get(name) ?? []), object.spec.size]);
      await apply(ConfigMap, name, { data: { size: String(object.spec.size) } });
      status.text = `size ${object.spec.size}`;
    });
  }

  async set(name: string, size: number): Promise<void> {
    const metadata = { namespace: this.#namespace, name };
    const object = { apiVersion: "example.com/v1", kind: "Widget", metadata, spec: { size } };
    await this.#api.apply(Widget, object, { manager: "user", force: true });
  }

  async remove(name: string): Promise<void> {
    await this.#api.delete(Widget, this.#key(name), {});
  }

  #key(name: string): ObjectKey {
    return { namespace: this.#namespace, name };
  }

  /** Waits until the child and the status of an object have this size. */
  async reaches(name: string, size: number): Promise<void> {
    await until(async () => {
      const map = (await this.#api.get(ConfigMap, this.#key(name))) as { data?: { size?: string } };
      const { status } = (await this.#api.get(Widget, this.#key(name))) as { status?: { text?: string } };
      return map.data?.size === String(size) && status?.text === `size ${size}`;
    }, `${name} has size ${size}`);
  }

  /** Waits until the operator knows so many objects. */
  async knows(count: number): Promise<void> {
    await until(() => this.operator.health[0]?.objects === count, `the operator knows ${count} objects`);
  }

  /** The written sizes only grew, as those of the users did. */
  check(): void {
    assert.deepEqual(this.violations, []);
    for (const [name, sizes] of this.written)
      assert.deepEqual(
        sizes,
        sizes.toSorted((a, b) => a - b),
        `the sizes that were written of ${name}`,
      );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.operator.stop(0);
  }
}

async function until(holds: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const end = systemClock.now() + 180_000;
  // An error counts as not yet true.
  while (
    !(await Promise.resolve()
      .then(holds)
      .catch(() => false))
  ) {
    assert.ok(systemClock.now() < end, `waited in vain until ${what}`);
    await sleep(systemClock, 20);
  }
}

interface Stage {
  /** The users' API, with timeouts for slow machines. */
  readonly users: Api;
  readonly api: Api;
  readonly other: Api;
  readonly namespace: string;
}

async function onEmbedded(): Promise<Stage> {
  const api = apiOf(createClient(inProcess((await startApiServer()).fetch)));
  await installCrds([controller(Widget, {}, () => undefined)], { api, clock: systemClock, manager: "test" });
  return { users: api, api, other: api, namespace: "default" };
}

async function onReal(t: TestContext): Promise<Stage & { readonly cluster: string }> {
  const cluster = await useKubernetes(t, { peers: 1, own: true });
  const config = await loadConfig(processHost(), { kubeconfig: cluster.kubeconfig });
  const clients = cluster.servers.map(({ server }) =>
    createClient({ ...config, cluster: { ...config.cluster, server } }, { retry: noRetry, timeoutMs: 1_000 }),
  );
  const patient = createClient(config);
  t.after(() => Promise.all([patient, ...clients].map((client) => client.close())));
  const users = apiOf(patient);
  const [api, other] = clients.map(apiOf);
  assert.ok(api !== undefined && other !== undefined);
  await installCrds([controller(Widget, {}, () => undefined)], { api: users, clock: systemClock, manager: "test" });
  return { users, api, other, namespace: cluster.namespace, cluster: cluster.name };
}

/** The operator is sent to a server without the last changes, and has no version to continue from. */
async function meetsThePast({ users, api, other, namespace }: Stage): Promise<void> {
  await using behind = new BehindApi(other);
  await using play = new Play(api, behind, namespace, { users });
  for (const name of ["stays", "goes"]) await play.set(name, 1);
  for (const name of ["stays", "goes"]) await play.reaches(name, 1);
  for (const kind of [Widget, ConfigMap])
    await until(
      async () => (await behind.list(kind, { namespace })).items.length >= 2,
      "the other server knows as much",
    );

  behind.hold();
  await play.set("stays", 2);
  await play.remove("goes");
  await play.reaches("stays", 2);
  await play.knows(1);

  const before = play.servers.lists;
  play.servers.turnTo("other", errors.expired());
  const isBack = (): boolean => play.operator.health[0]?.objects !== 1;
  await until(() => isBack() || play.servers.lists >= before + 6, "the past was told several times, for each kind");
  assert.equal(isBack(), false, "what was gone is gone");
  play.check();

  // Changes that users make meanwhile are delivered when the server has caught up.
  await play.set("stays", 3);
  behind.release();
  await play.reaches("stays", 3);
  await play.knows(1);
  play.check();
}

describe("a second API server that is behind", () => {
  test("brings no old state back, on the embedded API server", async () => {
    await meetsThePast(await onEmbedded());
  });

  test("brings no old state back if the embedded API server itself is stale", async () => {
    const server = await startApiServer();
    const transport = (fetch: (request: Request) => Promise<Response>): Api => apiOf(createClient(inProcess(fetch)));
    const api = transport(server.fetch);
    await installCrds([controller(Widget, {}, () => undefined)], { api, clock: systemClock, manager: "test" });
    // Two connections to the same server: the second one gets the state of a fixed revision, while one is set.
    let revision: number | undefined;
    const mark = "behind";
    const past = transport((request) => {
      const marked = new Headers(request.headers);
      marked.set("user-agent", mark);
      return server.fetch(new Request(request, { headers: marked }));
    });
    server.observer.inject(({ headers }) =>
      revision !== undefined && headers["user-agent"] === mark ? { type: "stale", revision } : undefined,
    );
    await using play = new Play(api, past, "default");
    for (const name of ["stays", "goes"]) await play.set(name, 1);
    for (const name of ["stays", "goes"]) await play.reaches(name, 1);
    revision = Number((await api.list(Widget, {})).resourceVersion);
    await play.set("stays", 2);
    await play.remove("goes");
    await play.reaches("stays", 2);
    await play.knows(1);
    const before = play.servers.lists;
    play.servers.turnTo("other", errors.expired());
    const isBack = (): boolean => play.operator.health[0]?.objects !== 1;
    await until(() => isBack() || play.servers.lists >= before + 6, "the past was told several times, for each kind");
    assert.equal(isBack(), false, "what was gone is gone");
    await play.set("stays", 3);
    revision = undefined;
    await play.reaches("stays", 3);
    play.check();
  });

  test("is accepted if it stays stale for minutes: its store was restored", async () => {
    const clock = new VirtualClock();
    const [present, backup] = [new ModelApi(() => clock.wall()), new ModelApi(() => clock.wall())];
    const set = (api: ModelApi, name: string, size: number) => {
      const object = { apiVersion: "example.com/v1", kind: "Widget", metadata: { namespace: "default", name } };
      return api.apply(Widget, { ...object, spec: { size } } as KubeObject, { manager: "user" });
    };
    await set(backup, "kept", 1);
    for (let size = 1; size < 9; size++) await set(present, "kept", size);
    await set(present, "later", 1);
    await using play = new Play(present, backup, "default", { clock, random: () => 0.5, watchTuning: usualTuning });
    await clock.advance(10_000);
    play.servers.turnTo("other", errors.expired());
    await clock.advance(20_000);
    assert.equal(play.operator.health[0]?.objects, 2, "not at once");
    assert.match(
      play.operator.health[0]?.lastError ?? "",
      /^Did not take a list of widgets: it is as of version \d+, and version \d+ was received before\./u,
    );
    await clock.advance(600_000);
    assert.equal(play.operator.health[0]?.objects, 1, "what came after the backup is gone");
    const status = (): string | undefined =>
      (backup.peek(Widget, "default/kept") as { status?: { text: string } } | undefined)?.status?.text;
    assert.equal(status(), "size 1");
    await set(backup, "kept", 2);
    await clock.advance(10_000);
    assert.equal(status(), "size 2");
  });

  describe("on the real one", { skip: kubernetesMissing() }, () => {
    test("brings no old state back, and a hanging server blocks nothing", async (t) => {
      const stage = await onReal(t);
      await meetsThePast(stage);
      await using play = new Play(stage.api, stage.other, stage.namespace, { users: stage.users });
      for (let size = 10; size < 12; size++) {
        // Requests alternate between both servers; one of them neither responds nor receives anything for a while.
        play.servers.turnTo("either", errors.connectionLost());
        {
          using _still = standStill(stage.cluster, "kube-apiserver-2");
          for (const name of ["stays", `new-${size}`]) await play.set(name, size);
          play.servers.turnTo("either", errors.expired());
          await play.reaches("stays", size);
        }
        await play.remove(`new-${size}`);
        await play.knows(1);
      }
      play.check();
    });
  });
});
