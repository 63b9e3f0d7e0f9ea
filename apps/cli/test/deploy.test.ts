/** `capstan deploy` and `capstan undeploy` on an embedded cluster, with an image that exists already. */
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, beforeEach, suite, test } from "node:test";
import { type Cluster, startCluster } from "@capstan/cluster";
import { CustomResourceDefinition } from "@capstan/kinds/apiextensions.k8s.io/v1";
import { Deployment } from "@capstan/kinds/apps/v1";
import { ClusterRole } from "@capstan/kinds/rbac.authorization.k8s.io/v1";
import { Namespace, ServiceAccount } from "@capstan/kinds/v1";
import { capstan, type Ran } from "./terminal.ts";
import { checkout } from "./walk.ts";

const entry = join(checkout, "examples/memcached/main.ts");
const namespace = "memcached-system";
const object = {
  apiVersion: "cache.example.com/v1alpha1",
  kind: "Memcached",
  metadata: { name: "one", namespace: "default" },
};

suite("capstan deploy", () => {
  let folder = "";
  let cluster: Cluster;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "capstan-deploy-test-"));
    cluster = await startCluster({ port: 0, pods: "simulated", name: "shop" });
    await writeFile(join(folder, "kubeconfig"), cluster.kubeconfig ?? "");
  });
  after(async () => {
    await cluster.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const run = (words: readonly string[], answers: readonly string[] = []): Promise<Ran> =>
    capstan([...words, "--entry", entry, "--kubeconfig", join(folder, "kubeconfig")], {
      cwd: folder,
      env: { XDG_STATE_HOME: folder, XDG_DATA_HOME: folder },
      answers,
    });
  const deploy = (...more: string[]): Promise<Ran> =>
    run(["deploy", "registry.example.com/cache:v1", "--no-build", "--no-push", ...more]);
  /** Without replicas there is nothing to wait for. */
  const deployNone = (...more: string[]): Promise<Ran> => deploy("--replicas", "0", ...more);
  const deployment = (): Promise<unknown> =>
    cluster.client.get(Deployment, { namespace, name: "memcached" }).catch(() => undefined);
  const clean = async (): Promise<void> => void (await run(["undeploy", "--remove-crds", "--yes"]));
  beforeEach(clean);

  test("shows the cluster, creates everything, and waits until it is available", async () => {
    const { code, out, err } = await deploy();
    assert.equal(code, 0, err);
    assert.match(err, /^context shop, https:\/\/127\.0\.0\.1:\d+, namespace memcached-system$/mu);
    assert.match(err, /^ {2}create +CustomResourceDefinition memcacheds\.cache\.example\.com$/mu);
    assert.match(err, /^ {2}create +Deployment memcached-system\/memcached$/mu);
    assert.match(out, /^memcached is available in memcached-system: 1 of 1 replicas are available, after \d/u);
    const { status } = await cluster.client.get(Deployment, { namespace, name: "memcached" });
    assert.equal(status?.availableReplicas, 1);
  });

  test("a second run changes nothing, and a changed option only the Deployment", async () => {
    await deployNone();
    const again = await deployNone();
    assert.equal(again.code, 0, again.err);
    assert.doesNotMatch(again.err, /^ {2}(?:create|change) /mu);
    assert.match(again.err, /keep +CustomResourceDefinition .* \(it exists: the operator upgrades its CRDs/u);
    const changed = (await deploy()).err.split("\n").filter((line) => line.startsWith("  change"));
    assert.deepEqual(changed, ["  change     Deployment memcached-system/memcached"]);
  });

  test("a dry run says the same and writes nothing", async () => {
    const { code, out } = await deploy("--dry-run");
    assert.equal(code, 0);
    assert.match(out, /^ {2}create +Namespace memcached-system$/mu);
    assert.match(out, /^ {2}create +Deployment memcached-system\/memcached$/mu);
    assert.equal(await deployment(), undefined);
    await assert.rejects(cluster.client.get(Namespace, { name: namespace }), /not found/u);
    await deployNone();
    assert.match((await deploy("--dry-run")).out, /^ {2}change +Deployment/mu);
    assert.equal(((await deployment()) as { spec: { replicas: number } }).spec.replicas, 0);
  });

  test("a failure names the container, and shows events", async () => {
    cluster.nodes[0]?.runtime.setScript([{ match: { namespace }, pullError: "no such image" }]);
    try {
      const { code, err } = await run(["deploy", "registry.example.com/absent:v1", "--no-build", "--no-push"]);
      assert.equal(code, 1, err);
      assert.match(
        err,
        /memcached is not available: 0 of 1 replicas are available; memcached-\S+\/manager: ImagePullBackOff/u,
      );
      assert.match(err, /^events:\n(?: {2}.*\n)* {2}Failed Pod memcached-.*no such image/mu);
    } finally {
      cluster.nodes[0]?.runtime.setScript([]);
    }
  });

  test("an image is needed where the cluster is not an embedded one", async () => {
    const { code, err } = await run(["deploy"]);
    assert.equal(code, 2);
    assert.match(err, /name the image, such as registry\.example\.com\/app:v0\.1\.0/u);
  });

  test("undeploy asks, keeps CRDs and objects, and warns of them", async () => {
    await deployNone();
    await cluster.client.create(await memcached(cluster), { ...object, spec: { size: 1 } } as never);
    const refused = await run(["undeploy"], ["n"]);
    assert.equal(refused.code, 1);
    assert.match(refused.err, /remove it\? \[y\/N\]/u);
    assert.notEqual(await deployment(), undefined);
    const kind = await memcached(cluster);
    const inside = { ...object, metadata: { name: "two", namespace }, spec: { size: 1 } };
    await cluster.client.create(kind, inside as never);
    const dry = await run(["undeploy", "--dry-run"]);
    assert.match(dry.out, /^keep Namespace memcached-system, .* custom resources: Memcached memcached-system\/two$/mu);
    assert.doesNotMatch(dry.out, /^delete Namespace/mu);
    await cluster.client.delete(kind, { namespace, name: "two" } as never);
    const { code, out, err } = await run(["undeploy"], ["y"]);
    assert.equal(code, 0, err);
    assert.match(out, /^keep CustomResourceDefinition memcacheds\.cache\.example\.com$/mu);
    assert.match(
      out,
      /^warning: 1 object of Memcached and what belongs to them stay, and no operator reconciles them$/mu,
    );
    assert.match(out, /^delete Namespace memcached-system, with all that is in it$/mu);
    await assert.rejects(cluster.client.get(Namespace, { name: namespace }), /not found/u);
    await assert.rejects(cluster.client.get(ClusterRole, { name: "memcached" }), /not found/u);
    assert.equal(
      (await cluster.client.get(await memcached(cluster), { namespace: "default", name: "one" } as never)).metadata
        .name,
      "one",
    );
    await cluster.client.delete(await memcached(cluster), { namespace: "default", name: "one" } as never);
  });

  test("with --remove-crds the objects go first, then the operator, then its CRDs", async () => {
    await deployNone();
    await cluster.client.create(await memcached(cluster), { ...object, spec: { size: 1 } } as never);
    const { code, out, err } = await run(["undeploy", "--remove-crds", "--yes"]);
    assert.equal(code, 0, err);
    assert.match(out, /^warning: this deletes 1 object of Memcached in all namespaces/mu);
    const order = [...err.matchAll(/^ {2}delete {2}(\S+)/gmu)].map(([, kind]) => kind);
    assert.equal(order[0], "Memcached");
    assert.ok(order.indexOf("Deployment") < order.indexOf("CustomResourceDefinition"), order.join());
    assert.equal(order.at(-1), "Namespace");
    await assert.rejects(
      cluster.client.get(CustomResourceDefinition, { name: "memcacheds.cache.example.com" }),
      /not found/u,
    );
  });

  test("objects that cannot be finished keep the operator", async () => {
    await deployNone();
    const kind = await memcached(cluster);
    const held = { ...object, metadata: { ...object.metadata, finalizers: ["example.com/held"] }, spec: { size: 1 } };
    await cluster.client.create(kind, held as never);
    const { code, err } = await run(["undeploy", "--remove-crds", "--yes", "--timeout", "1"]);
    assert.equal(code, 1);
    assert.match(err, /the operator was not removed: Memcached default\/one \(finalizers: example\.com\/held\)/u);
    assert.notEqual(await deployment(), undefined);
    await cluster.client.patch(kind, { namespace: "default", name: "one" } as never, {
      merge: { metadata: { finalizers: null } },
    });
  });

  test("a namespace that existed before stays, and only what was created goes", async () => {
    await cluster.client.create(Namespace, { metadata: { name: "mine" } });
    await cluster.client.create(ServiceAccount, { metadata: { name: "other", namespace: "mine" } });
    const { code, err } = await deployNone("--namespace", "mine");
    assert.equal(code, 0, err);
    assert.match(err, /keep +Namespace mine \(it exists\)/u);
    await run(["undeploy", "--namespace", "mine", "--yes"]);
    assert.equal(
      (await cluster.client.get(ServiceAccount, { namespace: "mine", name: "other" })).metadata.name,
      "other",
    );
    await assert.rejects(cluster.client.get(Deployment, { namespace: "mine", name: "memcached" }), /not found/u);
  });

  test("what was never deployed is not removed", async () => {
    const { code, err } = await run(["undeploy", "--yes"]);
    assert.equal(code, 1);
    assert.match(err, /capstan deploy has not created memcached in memcached-system/u);
  });
});

function memcached({ client }: Cluster): ReturnType<Cluster["client"]["resourceFor"]> {
  return client.resourceFor({ group: "cache.example.com", version: "v1alpha1", kind: "Memcached" });
}
