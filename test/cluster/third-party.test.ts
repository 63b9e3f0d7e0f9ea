import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { promisify } from "node:util";
import { isApiError } from "@capstan/client";
import { Deployment } from "@capstan/kinds/apps/v1";
import { PersistentVolumeClaim, Pod } from "@capstan/kinds/v1";
import { cloudNativePg, DEFAULT_RELEASE, kubernetesProgram, programPath, readModuleFile } from "@capstan/kubernetes";
import { ask, Postgres, type PostgresCluster } from "./postgres.ts";
import { stages, type Target } from "./target.ts";
import { until } from "./until.ts";

const execute = promisify(execFile);
const patience = 300_000;

for (const { name, skip, open } of stages) {
  test(`on ${name}, CloudNativePG runs unchanged and survives the loss of a primary`, { skip }, async (t) => {
    const target = await open(t, ["cloudnative-pg", "postgresql"], { own: true });
    const { client, namespace } = target;
    await install(t, target);
    await refuses(target, { ...cluster(namespace), spec: { ...spec, imageName: "capstan.test/postgresql:no" } });
    await client.create(Postgres, cluster(namespace));
    const first = await untilHealthy(target, () => true);
    // Its webhook has set the defaults.
    assert.equal(first.spec.postgresql?.parameters?.["wal_level"], "logical");
    const primary = first.status?.currentPrimary ?? "";
    assert.equal(await ask(target, primary, "create table fact (color text)"), "");
    assert.equal(await ask(target, primary, "insert into fact values ('green')"), "");
    const { uid } = (await client.get(Pod, { namespace, name: primary })).metadata;
    await client.delete(Pod, { namespace, name: primary });
    const after = await untilHealthy(target, ({ status }) => status?.currentPrimary !== primary);
    const successor = after.status?.currentPrimary ?? "";
    assert.equal(await ask(target, successor, "select color from fact"), "green");
    assert.equal(await ask(target, successor, "insert into fact values ('blue')"), "");
    const returned = await client.get(Pod, { namespace, name: primary });
    assert.notEqual(returned.metadata.uid, uid);
    await until("the former primary follows the new one", async () => {
      return (await ask(target, primary, "select count(*), pg_is_in_recovery() from fact")) === "2|t";
    });
    const claims = (await client.list(PersistentVolumeClaim, { namespace }).all()).items;
    assert.deepEqual(claims.map(({ metadata }) => metadata.name).toSorted(), ["facts-1", "facts-2"]);
  });
}

const spec = {
  instances: 2,
  imageName: "capstan.test/postgresql:15",
  storage: { size: "256Mi" },
  // Lost instances stop at once: there are no writes during the test.
  stopDelay: 30,
  switchoverDelay: 30,
};

function cluster(namespace: string) {
  return { metadata: { name: "facts", namespace }, spec };
}

/** Installs the release unchanged, except that its image is not pulled again, because there is no registry. */
async function install(t: TestContext, { client, kubeconfig }: Target): Promise<void> {
  const { module } = cloudNativePg();
  const manifests = await readModuleFile(module, `releases/cnpg-${module.version.slice(1)}.yaml`);
  const folder = await mkdtemp(join(tmpdir(), "release-"));
  t.after(() => rm(folder, { recursive: true }));
  const file = join(folder, "release.yaml");
  await writeFile(file, manifests.replace("imagePullPolicy: Always", "imagePullPolicy: IfNotPresent"));
  const kubectl = programPath(kubernetesProgram("kubectl", DEFAULT_RELEASE.kubernetes));
  await execute(kubectl, ["--kubeconfig", kubeconfig, "apply", "--server-side", "--filename", file]);
  await until(
    "the operator is available",
    async () => {
      const found = await client.get(Deployment, { namespace: "cnpg-system", name: "cnpg-controller-manager" });
      return found.status?.availableReplicas === 1;
    },
    patience,
  );
}

/** Its webhook rejects the object with its own message. */
async function refuses({ client }: Target, wrong: ReturnType<typeof cluster>): Promise<void> {
  await until("the webhook answers", async () => {
    const said = await client.create(Postgres, wrong).then(
      () => assert.fail("it was taken"),
      (error: unknown) => error,
    );
    return isApiError(said, "Invalid") && /imageName/.test(said.message);
  });
}

async function untilHealthy(
  { client, namespace }: Target,
  isMeant: (cluster: PostgresCluster) => boolean,
): Promise<PostgresCluster> {
  return until(
    "both instances are ready and one of them is the primary",
    async () => {
      const found = await client.get(Postgres, { namespace, name: "facts" });
      const { readyInstances, phase } = found.status ?? {};
      return readyInstances === 2 && phase === "Cluster in healthy state" && isMeant(found) && found;
    },
    patience,
  );
}
