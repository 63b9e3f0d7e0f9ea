import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, before, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { type Catalog, startRegistryServer } from "@capstan/bundle";
import { createClient, loadConfig, processHost } from "@capstan/client";
import { ConfigMap, Namespace } from "@capstan/kinds/v1";
import {
  CatalogSource,
  ClusterCatalog,
  ClusterExtension,
  ClusterServiceVersion,
  OperatorGroup,
} from "@capstan/lifecycle";
import { apiOf } from "@capstan/runtime";
import { registryMissing, startRegistry } from "./registry.ts";
import { capstan } from "./terminal.ts";

let home = "";
let manager: ChildProcess | undefined;
const env = (): NodeJS.ProcessEnv => ({
  ...process.env,
  HOME: home,
  XDG_STATE_HOME: join(home, "state"),
  KUBECONFIG: join(home, "kc"),
});
const run = (...words: string[]): ReturnType<typeof capstan> => capstan(words, { cwd: home, env: env() });

const lifecycle = (...words: string[]): ReturnType<typeof capstan> => run("lifecycle", ...words, "--kubeconfig", "kc");

const labels = { app: "foo" };
const template = { metadata: { labels }, spec: { containers: [{ name: "foo", image: "foo:1" }] } };
const csv = {
  apiVersion: "operators.coreos.com/v1alpha1",
  kind: "ClusterServiceVersion",
  metadata: { name: "foo.v1.0.0" },
  spec: {
    displayName: "Foo",
    version: "1.0.0",
    installModes: [{ type: "OwnNamespace", supported: true }],
    install: {
      strategy: "deployment",
      spec: { deployments: [{ name: "foo", spec: { selector: { matchLabels: labels }, template } }] },
    },
  },
};

before(async () => {
  home = await mkdtemp(join(tmpdir(), "cli-"));
  const started = await run("cluster", "start", "--name", "lifecycle", "--pods", "simulated", "--kubeconfig-out", "kc");
  assert.equal(started.code, 0, started.err);
  const main = new URL("../src/main.ts", import.meta.url).pathname;
  manager = spawn(process.execPath, ["--conditions=@capstan/source", main, "lifecycle", "run", "--kubeconfig", "kc"], {
    cwd: home,
    env: env(),
    stdio: ["ignore", "ignore", "pipe"],
  });
  assert.ok(manager.stderr);
  for await (const line of createInterface({ input: manager.stderr })) if (line.includes("manager runs")) break;
  await using client = createClient(await loadConfig(processHost(), { kubeconfig: join(home, "kc") }));
  const packages = JSON.stringify([{ packageName: "foo", channels: [{ name: "stable", currentCSV: "foo.v1.0.0" }] }]);
  const data = { clusterServiceVersions: JSON.stringify([csv]), packages };
  await client.create(ConfigMap, { metadata: { name: "catalog", namespace: "olm" }, data } as never);
  const spec = { sourceType: "configmap", configMap: "catalog" };
  await client.create(CatalogSource, { metadata: { name: "catalog", namespace: "olm" }, spec } as never);
});
after(async () => {
  if (manager?.exitCode === null) {
    const ended = once(manager, "exit");
    manager.kill("SIGTERM");
    await ended;
  }
  await run("cluster", "stop", "--all");
  await rm(home, { recursive: true, force: true, maxRetries: 5 });
});

test("the API server offers the PackageManifests of the catalogs", async () => {
  await using client = createClient(await loadConfig(processHost(), { kubeconfig: join(home, "kc") }));
  const kind = { group: "packages.operators.coreos.com", version: "v1", kind: "PackageManifest" };
  const manifests = { ...kind, plural: "packagemanifests", scope: "Namespaced" } as const;
  const end = performance.now() + 60_000;
  for (;;) {
    // The API answers as soon as the API server has found it available, and the catalog has been read.
    const found = await apiOf(client)
      .list(manifests, { namespace: "default" })
      .catch((error: unknown) => String(error));
    const text = JSON.stringify(found);
    if (text.includes('"currentCSV":"foo.v1.0.0"')) {
      assert.match(text, /"catalogSource":"catalog"/u);
      return;
    }
    assert.ok(performance.now() < end, `PackageManifests are not offered: ${text}`);
    await pause(100);
  }
});

test("finds, plans, approves, lists and uninstalls an operator", async () => {
  assert.match((await lifecycle("search")).out, /^foo +olm\/catalog +stable +1 +stable$/mu);
  const unknown = await lifecycle("install", "bar", "-n", "shop");
  assert.equal(unknown.code, 3);
  assert.match(unknown.err, /no catalog has the package bar/u);
  const asked = await lifecycle("install", "foo", "-n", "shop", "--manual");
  assert.match(asked.out, /capstan lifecycle approve foo -n shop/u);
  assert.match((await lifecycle("plan", "foo", "-n", "shop")).out, /installs foo\.v1\.0\.0/u);
  assert.equal((await lifecycle("approve", "foo", "-n", "shop", "--yes")).code, 0);
  const again = await lifecycle("install", "foo", "-n", "shop");
  assert.match(again.err, /has a Subscription foo already/u);
  const [plan] = JSON.parse((await lifecycle("history", "-n", "shop", "-o", "json")).out) as [
    { readonly approved: boolean; readonly approvedBy: string },
  ];
  assert.ok(plan.approved && plan.approvedBy !== "");
  const because = await lifecycle("why", "foo", "-n", "shop");
  assert.match(because.out, /foo/u);
  const added = await lifecycle("whatif", "--subscribe", "foo", "-n", "shop", "-o", "json");
  assert.equal(added.code, 0, added.err);
  assert.match((await lifecycle("upgrade", "foo", "-n", "shop")).out, /^foo is up to date: foo\.v1\.0\.0$/mu);
  const both = await lifecycle("uninstall", "foo", "-n", "shop", "--keep-crds", "--remove-crds", "--yes");
  assert.match(both.err, /contradict each other/u);
  const removed = await lifecycle("uninstall", "foo", "-n", "shop", "--yes");
  assert.match(removed.out, /^delete Subscription foo\ndelete the operator foo\.v1\.0\.0 with/u);
  assert.match(removed.err, /^deleted ClusterServiceVersion shop\/foo\.v1\.0\.0$/mu);
  assert.equal((await lifecycle("audit", "--orphans", "-o", "json")).code, 0);
  assert.equal((await lifecycle("status", "-n", "shop", "-o", "json")).out, "[]\n");
  const trail = JSON.parse((await lifecycle("audit", "-n", "shop", "-o", "json")).out) as readonly {
    readonly action: string;
    readonly user: string;
  }[];
  assert.deepEqual(
    trail.map(({ action }) => action),
    ["install", "approve", "uninstall"],
  );
  assert.ok(trail.every(({ user }) => user === plan.approvedBy));
});

test("explains a missing package, and what a change would do", async () => {
  await lifecycle("install", "foo", "-n", "question", "--timeout", "60");
  const missing = await lifecycle("why", "bar", "-n", "question");
  assert.match(missing.out, /Nothing in the namespace question is named bar/u);
  const removed = await lifecycle("whatif", "--remove-catalog", "catalog", "-n", "question");
  assert.match(removed.out, /The Subscription foo refers to the catalog/u);
  const upgraded = await lifecycle("whatif", "--kubernetes", "1.99", "-n", "question", "-o", "json");
  assert.equal((JSON.parse(upgraded.out) as { readonly after: string }).after, "solved");
  const several = await lifecycle("whatif", "--kubernetes", "1.99", "--unsubscribe", "foo", "-n", "question");
  assert.match(several.err, /exactly one change is needed/u);
  assert.match((await lifecycle("whatif", "--subscribe", "none", "-n", "question")).err, /no catalog has the package/u);
  assert.match((await lifecycle("why", "foo", "-n", "elsewhere")).err, /has no OperatorGroup/u);
});

/** A catalog of one bundle, whose objects are in the catalog itself. */
function servedCatalog(): Catalog {
  const named = { ...csv, metadata: { name: "bar.v1.0.0" } };
  const data = Buffer.from(JSON.stringify(named)).toString("base64");
  const properties = [{ type: "olm.package", value: { packageName: "bar", version: "1.0.0" } }];
  const bundle = {
    name: "bar.v1.0.0",
    package: "bar",
    image: "",
    version: "1.0.0",
    properties,
    hasObjects: true,
    readLarge: () => [{ type: "olm.bundle.object", value: { data } }],
    relatedImages: [],
  };
  const entries = new Map([["bar.v1.0.0", { name: "bar.v1.0.0", skips: [] }]]);
  const channels = new Map([["stable", { name: "stable", package: "bar", entries, properties: [] }]]);
  const bundles = new Map([["bar.v1.0.0", bundle]]);
  const found = { name: "bar", defaultChannel: "stable", channels, bundles, properties: [] };
  return { packages: new Map([["bar", found]]) };
}

test("installs from the address of a registry server", async () => {
  await using server = await startRegistryServer({ catalog: servedCatalog, host: "127.0.0.1", port: 0 });
  await using client = createClient(await loadConfig(processHost(), { kubeconfig: join(home, "kc") }));
  const spec = { sourceType: "grpc", address: server.address };
  await client.create(CatalogSource, { metadata: { name: "served", namespace: "olm" }, spec } as never);
  const installed = await lifecycle("install", "bar", "-n", "served", "--timeout", "60");
  assert.equal(installed.out, "bar.v1.0.0 is installed\n", installed.err);
  const found = await client.get(ClusterServiceVersion, { namespace: "served", name: "bar.v1.0.0" });
  assert.equal(found.status?.phase, "Succeeded");
  const source = await client.get(CatalogSource, { namespace: "olm", name: "served" });
  assert.equal(source.status?.connectionState?.lastObservedState, "READY");
  assert.equal(source.status?.connectionState?.address, server.address);
});

/** Writes the folder of a bundle with a ConfigMap beside its operator. */
async function writeBundle(version: string): Promise<void> {
  const annotations = {
    "operators.operatorframework.io.bundle.mediatype.v1": "registry+v1",
    "operators.operatorframework.io.bundle.manifests.v1": "manifests/",
    "operators.operatorframework.io.bundle.metadata.v1": "metadata/",
    "operators.operatorframework.io.bundle.package.v1": "owl",
    "operators.operatorframework.io.bundle.channels.v1": "stable",
  };
  for (const folder of ["owl/manifests", "owl/metadata"]) await mkdir(join(home, folder), { recursive: true });
  const named = { ...csv, metadata: { name: `owl.v${version}` }, spec: { ...csv.spec, version } };
  const settings = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "owl" }, data: { version } };
  await writeFile(join(home, "owl/manifests/csv.yaml"), JSON.stringify(named));
  await writeFile(join(home, "owl/manifests/settings.yaml"), JSON.stringify(settings));
  await writeFile(join(home, "owl/metadata/annotations.yaml"), JSON.stringify({ annotations }));
}

test("bundle run installs a bundle with all its objects, and upgrades to the next one", async () => {
  await writeBundle("1.0.0");
  const first = await run("bundle", "run", "./owl", "-n", "owls", "--kubeconfig", "kc", "--timeout", "60");
  assert.equal(first.out, "owl.v1.0.0 runs\n", first.err);
  await writeBundle("1.1.0");
  const second = await run("bundle", "run", "./owl", "-n", "owls", "--kubeconfig", "kc", "--timeout", "60");
  assert.equal(second.out, "owl.v1.1.0 runs\n", second.err);
  await using client = createClient(await loadConfig(processHost(), { kubeconfig: join(home, "kc") }));
  const settings = await client.get(ConfigMap, { namespace: "owls", name: "owl" });
  assert.equal(settings.data?.["version"], "1.1.0");
});

test("a fleet gets a version ring by ring, and a cluster that does not answer stops it", async () => {
  const subscription = {
    namespace: "fleet",
    name: "foo",
    package: "foo",
    channel: "stable",
    source: "catalog",
    sourceNamespace: "olm",
  };
  const canary = { name: "canary", clusters: [{ name: "one", kubeconfig: "kc" }] };
  const others = { name: "others", clusters: [{ name: "gone", kubeconfig: "missing" }] };
  const last = { name: "last", clusters: [{ name: "never", kubeconfig: "kc" }] };
  await writeFile(join(home, "fleet.yaml"), JSON.stringify({ subscription, rings: [canary, others, last] }));
  await using client = createClient(await loadConfig(processHost(), { kubeconfig: join(home, "kc") }));
  await client.create(Namespace, { metadata: { name: "fleet" } } as never);
  const group = { metadata: { name: "fleet", namespace: "fleet" }, spec: { targetNamespaces: ["fleet"] } };
  await client.create(OperatorGroup, group as never);
  const ran = await run(
    "lifecycle",
    "fleet",
    "fleet.yaml",
    "--version",
    "foo.v1.0.0",
    "--yes",
    "-o",
    "json",
    "--timeout",
    "60",
  );
  assert.equal(ran.code, 1, ran.err);
  const { clusters } = JSON.parse(ran.out) as { readonly clusters: readonly { readonly state: string }[] };
  assert.deepEqual(
    clusters.map(({ state }) => state),
    ["succeeded", "failed", "waiting"],
  );
  await writeFile(join(home, "bad.yaml"), JSON.stringify({ subscription, rings: [] }));
  const bad = await run("lifecycle", "fleet", "bad.yaml", "--version", "foo.v1.0.0", "--yes");
  assert.match(bad.err, /bad\.yaml needs a list `rings`, the canary first/u);
});

test("deploy prints the manifests of the manager, and applies them", async () => {
  const words = ["deploy", "--image", "registry.example.com/manager:v1", "--namespace", "olm"];
  const dry = await lifecycle(...words, "--dry-run");
  assert.match(dry.out, /^kind: ClusterRole$/mu);
  assert.match(dry.out, /image: registry\.example\.com\/manager:v1/u);
  const deployed = await lifecycle(...words, "--yes", "--timeout", "60", "-o", "json");
  assert.equal((JSON.parse(deployed.out) as { readonly ready: boolean }).ready, true, deployed.err);
  assert.match((await lifecycle("deploy")).err, /--image names the image of the manager/u);
});

/** Waits until an object is as expected. */
async function eventually<T>(look: () => Promise<T>, holds: (seen: T) => boolean): Promise<T> {
  const end = performance.now() + 60_000;
  for (;;) {
    const seen = await look();
    if (holds(seen)) return seen;
    assert.ok(performance.now() < end, `not in time; last seen: ${JSON.stringify(seen)}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** Builds and pushes a bundle, and a catalog with it. */
async function publish(host: string): Promise<string> {
  const metadata = { name: "zoo.v1.0.0" };
  const spec = { ...csv.spec, installModes: [{ type: "AllNamespaces", supported: true }] };
  const annotations = {
    "operators.operatorframework.io.bundle.mediatype.v1": "registry+v1",
    "operators.operatorframework.io.bundle.manifests.v1": "manifests/",
    "operators.operatorframework.io.bundle.metadata.v1": "metadata/",
    "operators.operatorframework.io.bundle.package.v1": "zoo",
    "operators.operatorframework.io.bundle.channels.v1": "stable",
  };
  for (const folder of ["zoo/manifests", "zoo/metadata", "zoo-catalog"])
    await mkdir(join(home, folder), { recursive: true });
  await writeFile(join(home, "zoo/manifests/csv.yaml"), JSON.stringify({ ...csv, metadata, spec }));
  await writeFile(join(home, "zoo/metadata/annotations.yaml"), JSON.stringify({ annotations }));
  const image = `${host}/zoo:v1.0.0`;
  const blobs = [
    { schema: "olm.package", name: "zoo", defaultChannel: "stable" },
    { schema: "olm.channel", package: "zoo", name: "stable", entries: [{ name: "zoo.v1.0.0" }] },
    {
      schema: "olm.bundle",
      package: "zoo",
      name: "zoo.v1.0.0",
      image,
      properties: [{ type: "olm.package", value: { packageName: "zoo", version: "1.0.0" } }],
    },
  ];
  await writeFile(join(home, "zoo-catalog/zoo.json"), blobs.map((each) => JSON.stringify(each)).join("\n"));
  for (const words of [
    ["bundle", "build", image, "--dir", "zoo"],
    ["bundle", "push", image, "--insecure"],
    ["catalog", "build", `${host}/catalog:v1`, "--dir", "zoo-catalog"],
    ["catalog", "push", `${host}/catalog:v1`, "--insecure"],
  ]) {
    const done = await run(...words);
    assert.equal(done.code, 0, done.err);
  }
  return `${host}/catalog:v1`;
}

test("installs a ClusterExtension from a registry, and serves its catalog", { skip: registryMissing }, async () => {
  await using registry = await startRegistry();
  const ref = await publish(registry.host);
  await using client = createClient(await loadConfig(processHost(), { kubeconfig: join(home, "kc") }));
  const image = { type: "Image", image: { ref } };
  await client.create(ClusterCatalog, { metadata: { name: "zoo" }, spec: { source: image } } as never);
  const source = { sourceType: "Catalog", catalog: { packageName: "zoo" } };
  const spec = { namespace: "default", source };
  await client.create(ClusterExtension, { metadata: { name: "zoo" }, spec } as never);
  const found = await eventually(
    () => client.get(ClusterExtension, { name: "zoo" }),
    ({ status }) => status?.install !== undefined,
  );
  assert.deepEqual(found.status?.install, { bundle: { name: "zoo.v1.0.0", version: "1.0.0" } });
  const because = await lifecycle("why", "zoo");
  assert.match(because.out, /^zoo\.v1\.0\.0 \(1\.0\.0\) is installed for the ClusterExtension zoo\.$/mu);
  assert.match(because.out, /The ClusterCatalog zoo is served; the priority is 0/u);
  const catalog = await eventually(
    () => client.get(ClusterCatalog, { name: "zoo" }),
    ({ status }) => status?.urls !== undefined,
  );
  assert.match((await lifecycle("list", "-n", "default")).out, /^default +zoo\.v1\.0\.0 +1\.0\.0 +Installed/mu);
  const status = await lifecycle("status", "-n", "default", "-o", "json");
  const [row] = JSON.parse(status.out) as readonly { readonly name: string; readonly installed: string }[];
  assert.deepEqual([row?.name, row?.installed], ["zoo", "zoo.v1.0.0"]);
  assert.match(catalog.status?.resolvedSource?.image.ref ?? "", /\/catalog@sha256:[0-9a-f]{64}$/u);
  const base = catalog.status?.urls?.base ?? "";
  const all = await (await fetch(`${base}/api/v1/all`)).text();
  assert.equal(all.trim().split("\n").length, 3);
  const metas = await (await fetch(`${base}/api/v1/metas?schema=olm.bundle`)).text();
  assert.equal((JSON.parse(metas) as { readonly name: string }).name, "zoo.v1.0.0");
  assert.equal((await fetch(`${base}/api/v1/metas?wrong=1`)).status, 400);
});

test("the base is installed and shown, and stays while operators are installed", async () => {
  const olm = (...words: string[]): ReturnType<typeof capstan> => run("olm", ...words, "--kubeconfig", "kc");
  const installed = await olm("install");
  assert.match(installed.out, /^11 CRDs are installed/u, installed.err);
  const status = await olm("status", "-o", "json");
  const rows = JSON.parse(status.out) as readonly { readonly name: string; readonly state: string }[];
  assert.deepEqual(new Set(rows.map(({ state }) => state)), new Set(["served"]));
  await lifecycle("install", "foo", "-n", "stay", "--timeout", "60");
  const refused = await olm("uninstall", "--yes");
  assert.match(refused.err, /operators are installed \(.*foo\.v1\.0\.0/u);
  const rollback = await lifecycle("rollback", "none", "--yes");
  assert.match(rollback.err, /not rolled back: there is no ClusterExtension none/u);
});
