/** The chart as Helm itself renders it: with default values it has the objects of the one file, and every value takes effect. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { buildPrograms, helmProgram, programPath, showProgress } from "@capstan/kubernetes";
import { parseAllDocuments } from "yaml";

const run = promisify(execFile);
const entry = resolve("examples/memcached/main.ts");

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly annotations?: object };
  readonly spec?: { readonly replicas?: number; readonly template?: { readonly spec: PodSpec } };
}
interface PodSpec {
  readonly nodeSelector?: object;
  readonly containers: readonly {
    readonly image: string;
    readonly args: readonly string[];
    readonly resources: object;
  }[];
}

let folder = "";
before(async () => {
  await buildPrograms([helmProgram()], showProgress(process.stderr));
  folder = await mkdtemp(join(tmpdir(), "capstan-helm-"));
  await capstan(
    "generate",
    "helm",
    "--entry",
    entry,
    "--image",
    "example.com/cache:v1",
    "--out",
    join(folder, "chart"),
  );
});
after(() => rm(folder, { recursive: true, force: true }));

async function capstan(...words: string[]): Promise<string> {
  const flags = ["--conditions=@capstan/source", "--disable-warning=ExperimentalWarning"];
  // The operator is named like the folder, in the chart and in the file.
  const cwd = resolve("examples/memcached");
  return (await run(process.execPath, [...flags, resolve("apps/cli/src/main.ts"), ...words], { cwd })).stdout;
}

async function rendered(...values: string[]): Promise<Manifest[]> {
  const sets = values.flatMap((value) => ["--set", value]);
  const words = ["template", "release", join(folder, "chart"), "--namespace", "memcached-system", ...sets];
  return documents((await run(programPath(helmProgram()), words)).stdout);
}

function documents(text: string): Manifest[] {
  return parseAllDocuments(text)
    .map((document) => document.toJS() as Manifest | null)
    .filter((object) => object !== null);
}

const nameOf = ({ kind, metadata }: Manifest): string => `${kind} ${metadata.namespace ?? ""}/${metadata.name}`;

test("helm lint reports no problems", async () => {
  const { stdout } = await run(programPath(helmProgram()), ["lint", "--strict", join(folder, "chart")]);
  assert.match(stdout, /1 chart\(s\) linted, 0 chart\(s\) failed/);
});

test("by default the chart has the objects of the one file, but for the namespace", async () => {
  const text = await capstan("generate", "manifests", "--entry", entry, "--image", "example.com/cache:v1");
  const wanted = documents(text).filter(({ kind }) => kind !== "Namespace");
  const made = new Map((await rendered()).map((one) => [nameOf(one), one]));
  assert.deepEqual([...made.keys()].sort(), wanted.map(nameOf).sort());
  for (const one of wanted) {
    const { metadata, spec, ...rest } = made.get(nameOf(one)) ?? assert.fail();
    const { annotations: _, ...plain } = metadata;
    const [mine, theirs] = [
      { ...rest, metadata: plain, spec: withoutPolicy(spec) },
      { spec: undefined, ...one },
    ];
    assert.deepEqual(mine, theirs, nameOf(one));
  }
});

/** A chart sets imagePullPolicy; the one file leaves it to the cluster. */
function withoutPolicy(spec: Manifest["spec"]): unknown {
  return spec === undefined
    ? undefined
    : (JSON.parse(JSON.stringify(spec), (key, value: unknown) =>
        key === "imagePullPolicy" ? undefined : value,
      ) as unknown);
}

test("each switch adds its object, or removes the CRDs", async () => {
  const usual = (await rendered()).map(nameOf);
  const added = async (value: string): Promise<string[]> =>
    (await rendered(value)).map(nameOf).filter((name) => !usual.includes(name));
  assert.deepEqual(await added("prometheus.enabled=true"), ["ServiceMonitor memcached-system/memcached-metrics"]);
  assert.deepEqual(await added("prometheus.alerts=true"), ["PrometheusRule memcached-system/memcached-alerts"]);
  assert.deepEqual(await added("networkPolicy.enabled=true"), [
    "NetworkPolicy memcached-system/memcached-allow-metrics",
  ]);
  const left = new Set((await rendered("crds.install=false")).map(nameOf));
  assert.deepEqual(
    usual.filter((name) => !left.has(name)),
    ["CustomResourceDefinition /memcacheds.cache.example.com"],
  );
});

test("values reach the Deployment, and CRDs stay when a release is uninstalled", async () => {
  const values = ["image=example.com/other:v2", "replicas=3", "extraArgs={--log-level=debug}", "nodeSelector.disk=ssd"];
  const objects = await rendered(...values, "resources.limits.memory=1Gi");
  const { spec } = objects.find(({ kind }) => kind === "Deployment") ?? assert.fail();
  const pod = spec?.template?.spec;
  assert.equal(spec?.replicas, 3);
  assert.deepEqual(pod?.nodeSelector, { disk: "ssd" });
  assert.equal(pod.containers[0]?.image, "example.com/other:v2");
  assert.ok(pod.containers[0].args.includes("--log-level=debug"));
  assert.match(JSON.stringify(pod.containers[0].resources), /"memory":"1Gi"/);
  const crd = objects.find(({ kind }) => kind === "CustomResourceDefinition");
  assert.deepEqual(crd?.metadata.annotations, { "helm.sh/resource-policy": "keep" });
});
