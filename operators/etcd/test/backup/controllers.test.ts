/** The controllers of backups and restores on the embedded API server in virtual time. The test decides how pods end. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { controller, operator } from "capstan";
import type { ObjectOf } from "capstan";
import { Event } from "capstan/kinds/events.k8s.io/v1";
import { Pod } from "capstan/kinds/v1";
import { testOperator, VirtualClock } from "capstan/testing";
import type { TestWorld } from "capstan/testing";
import type { Job, JobResult } from "../../src/backup/agent/job.ts";
import { formatResult } from "capstan/stateful/parts";
import { backupControllers } from "../../src/backup/index.ts";
import type { Manifest } from "../../src/backup/manifest.ts";
import { EtcdBackup, EtcdCluster, EtcdRestore } from "../../src/kinds/index.ts";

type PodObject = ObjectOf<typeof Pod>;
const store = { s3: { bucket: "backups", credentials: "store" } };

/** The operator's backup controllers, with functions that end pods. */
async function startWorld() {
  const clock = new VirtualClock();
  const idle = controller(EtcdCluster, {}, () => undefined);
  const now = (): number => clock.wall();
  const app = operator({ name: "test", controllers: [idle, ...backupControllers({ agentImage: "operator:1", now })] });
  const world = await testOperator(app, { clock });
  const pods = async (): Promise<PodObject[]> =>
    (await world.list(Pod)).filter(({ metadata }) => metadata.deletionTimestamp === undefined) as PodObject[];
  return {
    clock,
    world,
    pods,
    pass: async (seconds: number) => {
      for (let left = seconds; left > 0; left -= 60) await world.advance(`${Math.min(left, 60)}s`);
    },
    /** The only running pod, with its job. */
    onlyJob: async () => {
      await world.advance("1s");
      const [pod, ...others] = await pods();
      assert.ok(pod && others.length === 0, `${others.length + (pod ? 1 : 0)} pods`);
      return { pod, job: jobOf(pod) };
    },
    end: async (pod: PodObject, result: JobResult) => {
      await endPod(world, pod, result);
      await world.advance("5s");
    },
    [Symbol.asyncDispose]: () => world[Symbol.asyncDispose](),
  };
}

function jobOf({ spec }: PodObject): Job {
  const container = [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])].find(({ env }) => env?.length);
  const text = container?.env?.find(({ name }) => name === "ETCD_BACKUP_JOB")?.value ?? "";
  return JSON.parse(text.replaceAll("$$", "$")) as Job;
}

/** The job of the container that reports the result. */
function agentJobOf({ spec }: PodObject): Job {
  const text = spec?.containers.find(({ name }) => name === "agent")?.env?.[0]?.value ?? "";
  return JSON.parse(text.replaceAll("$$", "$")) as Job;
}

async function endPod(world: TestWorld, pod: PodObject, result: JobResult): Promise<void> {
  const terminated = { exitCode: result.ok ? 0 : 1, message: formatResult(result) };
  const status = {
    phase: result.ok ? "Succeeded" : "Failed",
    containerStatuses: [
      { name: "agent", image: "x", imageID: "x", ready: false, restartCount: 0, state: { terminated } },
    ],
  };
  await world.applyStatus(Pod, pod.metadata.name, status as never);
}

async function addCluster(world: TestWorld, name = "db", status: object = {}, spec: object = {}): Promise<void> {
  await world.apply(EtcdCluster, name, { spec: { size: 3, version: "3.6.16", ...spec } });
  await world.applyStatus(EtcdCluster, name, {
    members: [0, 1, 2].map((at) => ({ name: `${name}-${at}`, role: "Follower", health: "Healthy", revision: 100 })),
    ...status,
  } as never);
}

function manifestOf(at: number, spec: unknown = { size: 3, version: "3.6.16" }): Manifest {
  const name = `default/db/backup-${at}`;
  return {
    format: 2,
    name,
    cluster: { namespace: "default", name: "db", clusterId: "1" },
    spec,
    time: new Date(at).toISOString(),
    member: "1",
    version: "3.6.16",
    revision: 42,
    kvHash: { hash: 7, compactRevision: 1 },
    snapshot: { bytes: 10, sha256: "abc" },
    stored: { bytes: 5, sha256: "def" },
    compression: "gzip",
  };
}

const conditionOf = (
  object: { status?: { conditions?: readonly { type: string; status: string; reason: string }[] } } | undefined,
  type: string,
) => {
  const found = object?.status?.conditions?.find((condition) => condition.type === type);
  return found && `${found.status} ${found.reason}`;
};

describe("a one-time backup", () => {
  test("is made by a pod, recorded in the status, and its pod is deleted", async () => {
    await using stage = await startWorld();
    const { world } = stage;
    await addCluster(world);
    await world.apply(EtcdBackup, "b", { spec: { cluster: "db", store, retention: { count: 3, age: "1d" } } });
    const { pod, job } = await stage.onlyJob();
    assert.ok(job.do === "backup");
    assert.deepEqual(job.endpoints[1], "https://db-1.db.default.svc:2379");
    assert.deepEqual(job.retention, { count: 3, ageMs: 86_400_000 });
    assert.match(JSON.stringify(pod.spec), /"image":"operator:1"/);
    assert.match(JSON.stringify(pod.spec), /"secretName":"db-operator"/);
    assert.equal((await world.get(EtcdBackup, "b"))?.status?.phase, "Running");
    await stage.end(pod, { ok: true, manifest: manifestOf(1), kept: 1, removed: 0 });
    await stage.pass(60);
    const made = await world.get(EtcdBackup, "b");
    assert.equal(made?.status?.phase, "Succeeded");
    assert.equal(conditionOf(made, "Ready"), "True BackupSucceeded");
    assert.deepEqual([made?.status?.last?.name, made?.status?.last?.revision], ["default/db/backup-1", 42]);
    assert.deepEqual(await stage.pods(), []);
    await stage.pass(900);
    assert.deepEqual(await stage.pods(), []);
  });

  test("fails with the reason, is retried, and succeeds when the store is repaired", async () => {
    await using stage = await startWorld();
    const { world } = stage;
    await addCluster(world);
    await world.apply(EtcdBackup, "b", { spec: { cluster: "db", store } });
    for (let attempt = 1; attempt <= 3; attempt++) {
      const { pod } = await stage.onlyJob();
      await stage.end(pod, { ok: false, code: "Denied", message: "the credentials are wrong" });
      const failed = await world.get(EtcdBackup, "b");
      assert.deepEqual([failed?.status?.phase, failed?.status?.failures], ["Failed", attempt]);
      assert.equal(conditionOf(failed, "Ready"), "False Denied");
      await stage.pass(240);
    }
    const { pod } = await stage.onlyJob();
    await stage.end(pod, { ok: true, manifest: manifestOf(2), kept: 1, removed: 0 });
    const made = await world.get(EtcdBackup, "b");
    assert.deepEqual([made?.status?.phase, made?.status?.failures], ["Succeeded", 0]);
    const told = world.running.registry.text();
    const labels = 'namespace="default",cluster="db",backup="b",purpose="backup"';
    assert.ok(told.includes(`etcd_operator_backup_failures_total{${labels},code="Denied"} 3`), told);
    assert.ok(told.includes(`etcd_operator_backup_duration_seconds{${labels}} `), told);
  });

  test("waits for its cluster, and stops waiting for a pod that never starts", async () => {
    await using stage = await startWorld();
    const { world } = stage;
    await world.apply(EtcdBackup, "b", { spec: { cluster: "db", store, timeout: "1m" } });
    await world.advance("1s");
    assert.equal(conditionOf(await world.get(EtcdBackup, "b"), "Ready"), "False ClusterMissing");
    await addCluster(world);
    await stage.pass(120);
    const { pod } = await stage.onlyJob();
    await stage.pass(600);
    const failed = await world.get(EtcdBackup, "b");
    assert.equal(conditionOf(failed, "Ready"), "False TimedOut");
    assert.equal(
      (await stage.pods()).some(({ metadata }) => metadata.uid === pod.metadata.uid),
      false,
    );
  });

  test("counts only after a trial restore, if the spec requests one", async () => {
    await using stage = await startWorld();
    const { world } = stage;
    await addCluster(world);
    await world.apply(EtcdBackup, "b", { spec: { cluster: "db", store, verify: "restore", retention: { count: 1 } } });
    const first = await stage.onlyJob();
    assert.ok(first.job.do === "backup" && first.job.retention === undefined, "nothing goes before the trial");
    await stage.end(first.pod, { ok: true, manifest: manifestOf(3), kept: 1, removed: 0 });
    await stage.pass(20);
    const trial = await stage.onlyJob();
    assert.equal(trial.job.do, "fetch");
    const check = agentJobOf(trial.pod);
    assert.ok(check.do === "check");
    assert.deepEqual(check.prune?.retention, { count: 1 });
    assert.equal(check.prune?.backup, "default/db/backup-3");
    const agent = trial.pod.spec?.containers.find(({ name }) => name === "agent");
    assert.ok(agent?.volumeMounts?.some(({ name }) => name === "store-credentials"));
    assert.notEqual((await world.get(EtcdBackup, "b"))?.status?.phase, "Succeeded");
    await stage.end(trial.pod, { ok: false, code: "Different", message: "other keys" });
    assert.equal(conditionOf(await world.get(EtcdBackup, "b"), "Ready"), "False Different");
  });

  test("is made again and tried again if its trial finds other keys", async () => {
    await using stage = await startWorld();
    const { world } = stage;
    await addCluster(world);
    await world.apply(EtcdBackup, "b", { spec: { cluster: "db", store, verify: "restore", retention: { count: 1 } } });
    await stage.end((await stage.onlyJob()).pod, { ok: true, manifest: manifestOf(3), kept: 1, removed: 0 });
    await stage.pass(20);
    await stage.end((await stage.onlyJob()).pod, { ok: false, code: "Different", message: "other keys" });
    await stage.pass(60);
    const another = await stage.onlyJob();
    assert.ok(
      another.job.do === "backup" && another.job.retention === undefined,
      "one that holds other keys is made anew",
    );
    await stage.end(another.pod, { ok: true, manifest: manifestOf(4), kept: 2, removed: 0 });
    await stage.pass(20);
    const again = await stage.onlyJob();
    const second = agentJobOf(again.pod);
    assert.ok(second.do === "check" && second.prune?.backup === "default/db/backup-4");
    assert.notEqual((await world.get(EtcdBackup, "b"))?.status?.phase, "Succeeded");
    await stage.end(again.pod, { ok: true });
    const { phase, last } = (await world.get(EtcdBackup, "b"))?.status ?? {};
    assert.deepEqual([phase, last?.name, last?.verified], ["Succeeded", "default/db/backup-4", "restore"]);
  });
});

test("image pull secrets are on every pod of a backup, a trial and a restore", async () => {
  await using stage = await startWorld();
  const { world } = stage;
  const pulledWith = ({ spec }: PodObject) => spec?.imagePullSecrets?.map(({ name }) => name);
  await addCluster(world, "db", {}, { imagePullSecrets: [{ name: "registry" }] });
  await world.apply(EtcdBackup, "b", { spec: { cluster: "db", store, verify: "restore" } });
  const backup = await stage.onlyJob();
  assert.deepEqual(pulledWith(backup.pod), ["registry"]);
  await stage.end(backup.pod, { ok: true, manifest: manifestOf(3), kept: 1, removed: 0 });
  await stage.pass(20);
  const trial = await stage.onlyJob();
  assert.deepEqual(pulledWith(trial.pod), ["registry"]);
  await stage.end(trial.pod, { ok: true });
  await stage.pass(60);
  const imagePullSecrets = [{ name: "elsewhere" }];
  await world.apply(EtcdRestore, "r", { spec: { cluster: "copy", store, imagePullSecrets } });
  const restore = await stage.onlyJob();
  assert.deepEqual(pulledWith(restore.pod), ["elsewhere"]);
  await stage.end(restore.pod, { ok: true, manifest: manifestOf(5) });
  assert.deepEqual((await world.get(EtcdCluster, "copy"))?.spec.imagePullSecrets, imagePullSecrets);
});

describe("a scheduled backup", () => {
  test("is made every ten minutes, and the status lists the kept backups", async () => {
    await using stage = await startWorld();
    const { world } = stage;
    await addCluster(world);
    await world.apply(EtcdBackup, "b", { spec: { cluster: "db", store, schedule: "*/10 * * * *" } });
    await world.advance("1s");
    assert.deepEqual(await stage.pods(), []);
    assert.match((await world.get(EtcdBackup, "b"))?.status?.nextTime ?? "", /:\d0:00Z$/);
    for (let round = 1; round <= 3; round++) {
      await stage.pass(600);
      const { pod } = await stage.onlyJob();
      await stage.end(pod, { ok: true, manifest: manifestOf(round), kept: Math.min(round, 2), removed: 0 });
      await stage.pass(20);
    }
    const made = await world.get(EtcdBackup, "b");
    assert.equal(made?.status?.phase, "Scheduled");
    assert.deepEqual(
      made?.status?.backups?.map(({ name }) => name),
      ["default/db/backup-3", "default/db/backup-2"],
    );
  });

  test("is rejected when the schedule is invalid", async () => {
    await using stage = await startWorld();
    await addCluster(stage.world);
    await stage.world.apply(EtcdBackup, "b", { spec: { cluster: "db", store, schedule: "61 * * * *" } });
    await stage.world.advance("1s");
    assert.equal(conditionOf(await stage.world.get(EtcdBackup, "b"), "Ready"), "False InvalidSchedule");
  });
});

describe("a restore", () => {
  const available = {
    conditions: [
      { type: "Available", status: "True", reason: "X", message: "", lastTransitionTime: "2026-01-01T00:00:00Z" },
    ],
  };

  test("creates the cluster that the backup describes, and completes when it serves", async () => {
    await using stage = await startWorld();
    const { world } = stage;
    await world.apply(EtcdRestore, "r", { spec: { cluster: "db", store, encryption: { name: "keys", key: "k" } } });
    const { pod, job } = await stage.onlyJob();
    assert.ok(job.do === "describe" && job.isEncrypted);
    await stage.end(pod, {
      ok: true,
      manifest: manifestOf(5, { size: 5, version: "3.6.16", paused: true, options: { "max-txn-ops": "7" } }),
    });
    const cluster = await world.get(EtcdCluster, "db");
    assert.deepEqual(
      [cluster?.spec.size, cluster?.spec.paused, cluster?.spec.options],
      [5, false, { "max-txn-ops": "7" }],
    );
    assert.equal(cluster?.spec.bootstrap?.backup, "default/db/backup-5");
    assert.deepEqual(cluster?.spec.bootstrap?.encryption, { name: "keys", key: "k" });
    assert.equal(cluster?.metadata.ownerReferences, undefined);
    await stage.pass(20);
    const running = await world.get(EtcdRestore, "r");
    assert.deepEqual([running?.status?.phase, running?.status?.revision], ["Running", 42]);
    await world.applyStatus(EtcdCluster, "db", {
      members: [{ name: "db-0", role: "Leader", health: "Healthy", revision: 42 }],
      ...available,
    } as never);
    await stage.pass(20);
    const done = await world.get(EtcdRestore, "r");
    assert.equal(conditionOf(done, "Complete"), "True Restored");
    assert.deepEqual(await stage.pods(), []);
  });

  test("leaves an existing cluster alone unless the spec repeats its name", async () => {
    await using stage = await startWorld();
    const { world } = stage;
    await addCluster(world);
    await world.apply(EtcdRestore, "r", { spec: { cluster: "db", store } });
    await stage.pass(20);
    assert.equal(conditionOf(await world.get(EtcdRestore, "r"), "Complete"), "False ClusterExists");
    assert.deepEqual(await stage.pods(), []);
    await world.apply(EtcdRestore, "sure", { spec: { cluster: "db", store, overwrite: "db" } });
    const { pod } = await stage.onlyJob();
    await stage.end(pod, { ok: true, manifest: manifestOf(6) });
    const running = await world.get(EtcdRestore, "sure");
    assert.equal(running?.status?.phase, "Running");
    const recovery = { phase: "Done", reason: "x", began: "2026-01-01T00:00:00Z", restore: running?.metadata.uid };
    await world.applyStatus(EtcdCluster, "db", { recovery, ...available } as never);
    await stage.pass(20);
    assert.equal((await world.get(EtcdRestore, "sure"))?.status?.phase, "Succeeded");
  });

  test("of a newer version, with a wrong key, or without a spec fails with a reason", async () => {
    await using stage = await startWorld();
    const { world } = stage;
    await world.apply(EtcdCluster, "old", { spec: { size: 3, version: "3.5.35" } });
    const cases: [string, string, JobResult, string][] = [
      ["newer", "old", { ok: true, manifest: manifestOf(7) }, "False NewerVersion"],
      ["key", "db", { ok: false, code: "WrongKey", message: "another key" }, "False WrongKey"],
      ["spec", "db", { ok: true, manifest: manifestOf(8, null) }, "False NoSpec"],
    ];
    for (const [name, cluster, result, expected] of cases) {
      const overwrite = cluster === "old" ? { overwrite: "old" } : {};
      await world.apply(EtcdRestore, name, { spec: { cluster, store, ...overwrite } });
      const { pod } = await stage.onlyJob();
      await stage.end(pod, result);
      await stage.pass(20);
      assert.equal(conditionOf(await world.get(EtcdRestore, name), "Complete"), expected);
    }
    assert.equal(await world.get(EtcdCluster, "db"), undefined);
  });

  test("waits for an earlier restore", async () => {
    await using stage = await startWorld();
    const { world } = stage;
    await world.apply(EtcdRestore, "a", { spec: { cluster: "db", store } });
    await world.advance("1s");
    await stage.pass(5);
    await world.apply(EtcdRestore, "b", { spec: { cluster: "db", store } });
    const { pod } = await stage.onlyJob();
    assert.match(
      (await world.get(EtcdRestore, "b"))?.status?.message ?? "",
      /restore a of the same cluster comes first/,
    );
    assert.equal(conditionOf(await world.get(EtcdRestore, "b"), "Complete"), "False Queued");
    const told = (await world.list(Event)) as readonly { readonly reason?: string }[];
    assert.ok(told.some(({ reason }) => reason === "Queued"));
    await stage.end(pod, { ok: false, code: "NotFound", message: "no backup" });
    await stage.pass(40);
    assert.equal((await stage.pods()).length, 1);
  });
});

describe("the operator crashes before any of its writes", () => {
  type Stage = Awaited<ReturnType<typeof startWorld>>;
  type Kind = "backup" | "restore";

  /** Runs until the object has ended; every new pod ends with the result that its job expects. Returns the number of jobs. */
  async function play(nth: number, kind: Kind): Promise<{ readonly writes: number; readonly made: number }> {
    await using stage = await startWorld();
    const { world } = stage;
    if (kind === "backup") await addCluster(world);
    const written = world.writes.length;
    world.crashBeforeWrite(nth);
    if (kind === "backup") await world.apply(EtcdBackup, "o", { spec: { cluster: "db", store, verify: "restore" } });
    else await world.apply(EtcdRestore, "o", { spec: { cluster: "db", store } });
    const seen = new Map<string, Job["do"]>();
    for (let context = 0; context < 60; context++) {
      await world.advance("5s");
      await endAll(stage, seen);
      if (kind === "restore") await serve(world);
      if (await isOver(stage, kind)) {
        const made = [...seen.values()].filter((did) => did !== "fetch").length;
        return { writes: world.writes.length - written, made };
      }
    }
    assert.fail(`crashed before write ${nth}, the ${kind} does not end`);
  }

  async function endAll({ world, pods }: Stage, seen: Map<string, Job["do"]>): Promise<void> {
    for (const pod of await pods()) {
      if (pod.status?.phase === "Succeeded") continue;
      const job = jobOf(pod);
      seen.set(pod.metadata.uid ?? "", job.do);
      const result = job.do === "fetch" ? {} : { manifest: manifestOf(1), kept: 1, removed: 0 };
      await endPod(world, pod, { ok: true, ...result });
    }
  }

  async function serve(world: TestWorld): Promise<void> {
    if ((await world.get(EtcdCluster, "db")) === undefined) return;
    const time = "2026-01-01T00:00:00Z";
    const conditions = [{ type: "Available", status: "True", reason: "X", message: "", lastTransitionTime: time }];
    await world.applyStatus(EtcdCluster, "db", { conditions } as never);
  }

  async function isOver({ world, pods }: Stage, kind: Kind): Promise<boolean> {
    const object = await (kind === "backup" ? world.get(EtcdBackup, "o") : world.get(EtcdRestore, "o"));
    return object?.status?.phase === "Succeeded" && (await pods()).length === 0;
  }

  for (const kind of ["backup", "restore"] as const) {
    test(`a ${kind} ends the same, and its job runs once`, async () => {
      const { writes } = await play(Number.MAX_SAFE_INTEGER, kind);
      assert.ok(writes > 3, `${writes} writes`);
      for (let nth = 1; nth <= writes; nth++) assert.equal((await play(nth, kind)).made, 1, `before write ${nth}`);
    });
  }
});
