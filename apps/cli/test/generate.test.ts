import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { startApiServer } from "@capstan/apiserver";
import { createClient, inProcess, isApiError, noRetry } from "@capstan/client";
import { type Api, apiOf, type Operator, createLog, systemClock } from "@capstan/runtime";
import { parse, parseAllDocuments } from "yaml";
import { kubernetesMissing } from "@capstan/kubernetes";
import { realKubectl } from "./kubectl.ts";
import { capstan } from "./terminal.ts";

const memcached = fileURLToPath(new URL("../../../examples/memcached", import.meta.url));
const at = { cwd: memcached };

interface Rule {
  apiGroups?: string[];
  resources?: string[];
  verbs: string[];
}
interface Parsed {
  apiVersion: string;
  kind: string;
  metadata: { name: string; namespace?: string };
  rules?: Rule[];
}

async function generated(...words: string[]): Promise<Parsed[]> {
  const { code, out, err } = await capstan(["generate", ...words], at);
  assert.equal(code, 0, err);
  return parseAllDocuments(out).map((document) => document.toJS() as Parsed);
}

test("two runs generate the same bytes", async () => {
  for (const what of ["crds", "rbac", "manifests", "docs"]) {
    const first = await capstan(["generate", what], at);
    assert.equal(first.code, 0, first.err);
    assert.ok(first.out.length > 100);
    assert.equal((await capstan(["generate", what], at)).out, first.out);
  }
});

test("files are written once and left alone if nothing changed", async () => {
  const folder = await mkdtemp(join(tmpdir(), "capstan-generate-"));
  try {
    for (const what of ["crds", "kustomize", "helm", "json-schema", "dashboards"]) {
      const out = join(folder, what);
      assert.match((await capstan(["generate", what, "--out", out], at)).out, /create/);
      assert.equal((await capstan(["generate", what, "--out", out], at)).out, "nothing to change\n");
    }
    const schema = JSON.parse(
      await readFile(join(folder, "json-schema/cache.example.com/memcached_v1alpha1.json"), "utf8"),
    ) as {
      properties: { apiVersion: { const: string }; spec: { additionalProperties: boolean } };
    };
    assert.equal(schema.properties.apiVersion.const, "cache.example.com/v1alpha1");
    assert.equal(schema.properties.spec.additionalProperties, false);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test("invalid names are rejected in one sentence, and nothing is written", async () => {
  const folder = await mkdtemp(join(tmpdir(), "capstan-refused-"));
  const out = join(folder, "out");
  const image = ["--image", "not an image"];
  const namespace = ["--namespace", "Bad NS"];
  try {
    for (const [words, code] of [
      [["generate", "rbac", ...namespace], 3],
      [["generate", "manifests", ...namespace], 3],
      [["generate", "manifests", ...image], 3],
      [["generate", "kustomize", ...namespace], 3],
      [["generate", "kustomize", ...image], 3],
      [["generate", "helm", ...image], 3],
      [["bundle", "generate", ...image], 3],
    ] as const) {
      const ran = await capstan([...words, "--out", out], at);
      assert.equal(ran.code, code, `${words.join(" ")}: ${ran.err}`);
      assert.match(ran.err, /^capstan: .*(Bad NS|not an image).*\n$/);
    }
    const nowhere = await capstan(["generate", "crds", "--out", "/proc/foo"], at);
    assert.deepEqual(nowhere, {
      code: 7,
      out: "",
      err: "capstan: cannot make /proc/foo: no folder can be made there (ENOENT)\n",
    });
    await assert.rejects(readFile(out), { code: "ENOENT" });
  } finally {
    await rm(folder, { recursive: true });
  }
});

test("resources without an operator get CRDs, but no Deployment", async () => {
  const folder = await mkdtemp(join(tmpdir(), "capstan-only-resources-"));
  try {
    const entry = join(folder, "resources.ts");
    const source = JSON.stringify(join(memcached, "main.ts"));
    await writeFile(entry, `export { Memcached } from ${source};\n`);
    for (const what of ["crds", "docs", "json-schema"])
      assert.equal((await capstan(["generate", what, "--entry", entry], { cwd: folder })).code, 0, what);
    const before = await readdir(folder, { recursive: true });
    for (const words of ["generate manifests", "generate kustomize", "generate helm", "bundle generate"]) {
      const ran = await capstan([...words.split(" "), "--entry", entry], { cwd: folder });
      assert.equal(ran.code, 3, words);
      assert.match(ran.err, /^capstan: \S+resources\.ts exports no operator: write `export const app = operator.*\n$/);
      assert.equal(ran.out, "");
    }
    assert.deepEqual(await readdir(folder, { recursive: true }), before);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test("alerts use metrics that operators serve, in the tree and in the chart", async () => {
  const folder = await mkdtemp(join(tmpdir(), "capstan-alerts-"));
  try {
    for (const what of ["kustomize", "helm"])
      assert.equal((await capstan(["generate", what, "--out", join(folder, what)], at)).code, 0);
    const text = await readFile(join(folder, "kustomize/prometheus/alerts.yaml"), "utf8");
    const { kind, metadata, spec } = parse(text) as Parsed & {
      spec: { groups: { rules: { alert: string; expr: string }[] }[] };
    };
    assert.deepEqual([kind, metadata.namespace], ["PrometheusRule", "memcached-system"]);
    const rules = spec.groups.flatMap(({ rules: some }) => some);
    assert.deepEqual(
      rules.map(({ alert }) => alert),
      ["OperatorReconcileErrors", "OperatorQueueDepth", "OperatorWatchFailing", "OperatorLeaderLost"],
    );
    const runtime = fileURLToPath(new URL("../../../packages/runtime/src", import.meta.url));
    const paths = (await readdir(runtime, { recursive: true })).filter((path) => path.endsWith(".ts"));
    const sources = (await Promise.all(paths.map((path) => readFile(join(runtime, path), "utf8")))).join("");
    const metrics = rules.flatMap(({ expr }) => [...expr.matchAll(/(\w+)\{/g)].map(([, name = ""]) => name));
    assert.equal(metrics.length, 5);
    // Some metrics are named in full, some without the prefix of their family.
    for (const name of metrics) {
      const own = name.replace(/^(controller_runtime|workqueue)_/, "");
      assert.ok(
        [name, own].some((one) => sources.includes(`"${one}"`)),
        `operators serve ${name}`,
      );
    }
    assert.ok(
      (await readFile(join(folder, "kustomize/prometheus/kustomization.yaml"), "utf8")).includes("alerts.yaml"),
    );
    const chart = await readFile(join(folder, "helm/templates/alerts.yaml"), "utf8");
    assert.match(chart, /^\{\{- if \.Values\.prometheus\.alerts \}\}\n/);
    assert.match(chart, /namespace: \{\{ \.Release\.Namespace \}\}/);
    assert.match(chart, /\{\{ "\{\{" \}\} \$value \{\{ "\}\}" \}\}/, "what Prometheus fills in is not Helm's");
  } finally {
    await rm(folder, { recursive: true });
  }
});

test("custom metrics get a dashboard from the list of kubebuilder's plugin", async () => {
  const folder = await mkdtemp(join(tmpdir(), "capstan-dashboards-"));
  try {
    const file = join(folder, "config.yaml");
    const words = ["generate", "dashboards", "--out", join(folder, "grafana"), "--custom-metrics", file];
    await writeFile(
      file,
      `customMetrics:
  - metric: orders_total
    type: counter
  - metric: orders_open
    type: gauge
    unit: short
  - metric: order_seconds
    type: histogram
  - metric: odd
    type: gauge
    expr: max(odd)
`,
    );
    assert.equal((await capstan(words, at)).code, 0);
    const { panels } = JSON.parse(await readFile(join(folder, "grafana/custom.json"), "utf8")) as {
      panels: { targets: { expr: string }[] }[];
    };
    assert.deepEqual(
      panels.map(({ targets }) => targets.map(({ expr }) => expr)),
      [
        ['sum(rate(orders_total{job="$job"}[5m]))'],
        ['sum(orders_open{job="$job"})'],
        [0.5, 0.9, 0.99].map(
          (q) => `histogram_quantile(${q}, sum by (le) (rate(order_seconds_bucket{job="$job"}[5m])))`,
        ),
        ["max(odd)"],
      ],
    );
    for (const [text, sentence] of [
      ["a: [", /it is no YAML/],
      ["metrics: []", /no list called customMetrics/],
      ["customMetrics: [{ metric: a b, type: gauge }]", /customMetrics\[0\] of \S+ names no metric/],
      [
        "customMetrics: [{ metric: a, type: counterr }]",
        /must have the type counter, gauge or histogram, not "counterr"/,
      ],
    ] as const) {
      await writeFile(file, text);
      const ran = await capstan(words, at);
      assert.equal(ran.code, 3);
      assert.match(ran.err, sentence);
    }
  } finally {
    await rm(folder, { recursive: true });
  }
});

test("a reader that closes the pipe early is not a failure", async () => {
  const main = fileURLToPath(new URL("../src/main.ts", import.meta.url));
  const child = spawn(process.execPath, ["--conditions=@capstan/source", main, "generate", "manifests"], {
    ...at,
    stdio: ["ignore", "pipe", "pipe"],
  });
  child.stdout.destroy();
  let said = "";
  child.stderr.on("data", (data: Buffer) => (said += data.toString()));
  const [code] = (await once(child, "close")) as [number | null];
  assert.deepEqual({ code, said }, { code: 0, said: "" });
});

test("a truncated manifest of a bundle is named", async () => {
  const folder = await mkdtemp(join(tmpdir(), "capstan-cut-"));
  try {
    assert.equal((await capstan(["bundle", "generate", "--out", folder], at)).code, 0);
    const file = join(folder, "bundle/manifests/memcached.clusterserviceversion.yaml");
    const text = await readFile(file, "utf8");
    const whole = await capstan(["bundle", "validate", join(folder, "bundle")], at);
    assert.doesNotMatch(whole.err, /cut short/);
    // In the middle of the JSON of its examples.
    await writeFile(
      file,
      text.slice(0, text.indexOf("alm-examples") + 40).replace(/alm-examples: [|>]-?/, 'alm-examples: "'),
    );
    const { code, err } = await capstan(["bundle", "validate", join(folder, "bundle")], at);
    assert.equal(code, 1);
    assert.match(err, /manifests\/memcached\.clusterserviceversion\.yaml cannot be read, it may have been cut short: /);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test("an operator for one namespace gets a Role there and no ClusterRole", async () => {
  const objects = await generated("rbac", "--watch-namespace", "--namespace", "ops");
  assert.ok(
    objects.some(
      ({ kind, metadata }) => kind === "Role" && metadata.name === "memcached" && metadata.namespace === "ops",
    ),
  );
  assert.ok(!objects.some(({ kind, metadata }) => kind === "ClusterRole" && metadata.name === "memcached"));
});

/** A server with the generated objects, and the operator's identity. */
async function installed(objects: readonly Parsed[]) {
  const server = await startApiServer({
    tokens: new Map([
      [
        "operator",
        {
          name: "system:serviceaccount:memcached-system:memcached",
          groups: ["system:serviceaccounts", "system:serviceaccounts:memcached-system", "system:authenticated"],
        },
      ],
    ]),
  });
  const admin = createClient(inProcess(server.fetch), { retry: noRetry });
  const as = (token: string) => (request: Request) => {
    request.headers.set("authorization", `Bearer ${token}`);
    return server.fetch(request);
  };
  for (const object of objects) {
    const slash = object.apiVersion.indexOf("/");
    const kind = await admin.resourceFor({
      group: slash < 0 ? "" : object.apiVersion.slice(0, slash),
      version: object.apiVersion.slice(slash + 1),
      kind: object.kind,
    });
    await apiOf(admin).create(kind, object, { manager: "test" });
  }
  const operator = createClient(inProcess(as("operator")), { retry: noRetry });
  return { server, admin: apiOf(admin), operator: apiOf(operator) };
}

const cache = {
  group: "cache.example.com",
  version: "v1alpha1",
  kind: "Memcached",
  plural: "memcacheds",
  scope: "Namespaced",
} as const;
const deployments = {
  group: "apps",
  version: "v1",
  kind: "Deployment",
  plural: "deployments",
  scope: "Namespaced",
} as const;
const object = {
  apiVersion: "cache.example.com/v1alpha1",
  kind: "Memcached",
  metadata: { name: "cache", namespace: "default" },
  spec: {},
};

/** Runs the operator until a condition on the lines of its log holds. */
async function runUntil(
  app: Operator,
  api: Api,
  holds: (lines: readonly string[]) => boolean | Promise<boolean>,
): Promise<void> {
  const lines: string[] = [];
  const log = createLog({ clock: systemClock, level: "debug", write: (line) => void lines.push(line) });
  const election = { namespace: "memcached-system", identity: "one" };
  await using _running = app.start({ api, log, leaderElection: election });
  for (const end = Date.now() + 60_000; !(await holds(lines));) {
    assert.ok(Date.now() < end, `waited in vain; the operator said:\n${lines.join("\n")}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function isDone(api: Api): Promise<boolean> {
  try {
    await api.get(deployments, { namespace: "default", name: "cache" });
    const found = (await api.get(cache, { namespace: "default", name: "cache" })) as {
      status?: { conditions?: unknown };
    };
    return found.status?.conditions !== undefined;
  } catch (error) {
    if (isApiError(error)) return false;
    throw error;
  }
}

test("the generated permissions suffice for a reconcile under leader election", async () => {
  const { app } = (await import(join(memcached, "main.ts"))) as { app: Operator };
  const { server, admin, operator } = await installed(await generated("manifests"));
  await using _ = server;
  await admin.create(cache, object, { manager: "test" });
  await runUntil(app, operator, () => isDone(admin));
});

for (const [group, resource, verb] of [
  ["apps", "deployments", "patch"],
  ["apps", "deployments", "watch"],
  ["cache.example.com", "memcacheds", "watch"],
  ["cache.example.com", "memcacheds/status", "patch"],
  ["", "pods", "watch"],
  ["coordination.k8s.io", "leases", "create"],
] as const) {
  test(`without ${verb} on ${resource} it does not work, so the permission is needed`, async () => {
    const { app } = (await import(join(memcached, "main.ts"))) as { app: Operator };
    const objects = await generated("manifests");
    for (const { rules = [] } of objects) {
      for (const rule of rules.filter(
        ({ apiGroups, resources }) => apiGroups?.includes(group) === true && resources?.includes(resource) === true,
      ))
        rule.verbs = rule.verbs.filter((one) => one !== verb);
    }
    for (const one of objects) if (one.rules) one.rules = one.rules.filter(({ verbs }) => verbs.length > 0);
    const { server, admin, operator } = await installed(objects);
    await using _ = server;
    await admin.create(cache, object, { manager: "test" });
    // The message of the API server within a line of JSON.
    const refusal = JSON.stringify(`cannot ${verb} resource "${resource}" in API group "${group}"`).slice(1, -1);
    await runUntil(app, operator, (lines) => lines.some((line) => line.includes(refusal)));
    assert.equal(await isDone(admin), false);
  });
}

test(
  "kubectl builds the kustomize tree with the same objects as the one file",
  { skip: kubernetesMissing() },
  async () => {
    const kubectl = await realKubectl();
    const folder = await mkdtemp(join(tmpdir(), "capstan-kustomize-"));
    try {
      await capstan(["generate", "kustomize", "--out", folder], at);
      const { stdout } = await promisify(execFile)(kubectl, ["kustomize", join(folder, "default")]);
      const name = ({ kind, metadata }: Parsed): string => `${kind} ${metadata.namespace ?? ""}/${metadata.name}`;
      const built = parseAllDocuments(stdout).map((document) => document.toJS() as Parsed);
      const wanted = await generated("manifests");
      assert.deepEqual(built.map(name).sort(), wanted.map(name).sort());
      const byName = new Map(built.map((one) => [name(one), one]));
      for (const one of wanted) assert.deepEqual(byName.get(name(one)), one, name(one));
    } finally {
      await rm(folder, { recursive: true });
    }
  },
);

test("schemas are written into hand-written CRDs, and other fields stay", async () => {
  const cwd = await mkdtemp(join(tmpdir(), "capstan-schema-patch-"));
  try {
    const { out: crds } = await capstan(["generate", "crds", "--entry", join(memcached, "main.ts")], { cwd });
    await mkdir(join(cwd, "crds"));
    const file = join(cwd, "crds/memcached.yaml");
    const old = crds.replace("type: integer", "type: string").replace("spec:\n", "# ours\nspec:\n");
    await writeFile(file, old);
    const made = await capstan(["generate", "schema-patch", "crds", "--entry", join(memcached, "main.ts")], { cwd });
    assert.equal(made.code, 0, made.err);
    assert.match(made.out, /update +crds\/memcached\.yaml/);
    const text = await readFile(file, "utf8");
    assert.match(text, /# ours\nspec:\n/);
    assert.doesNotMatch(text.split("additionalPrinterColumns")[0] ?? "", /size:\n +type: string/);
    assert.deepEqual(parse(text), parse(crds));
    assert.match(
      (await capstan(["generate", "schema-patch", "crds", "--entry", join(memcached, "main.ts")], { cwd })).out,
      /nothing to change/,
    );
    await writeFile(file, "a: [");
    const broken = await capstan(["generate", "schema-patch", "crds", "--entry", join(memcached, "main.ts")], { cwd });
    assert.equal(broken.code, 3);
    assert.match(broken.err, /cannot patch crds\/memcached\.yaml: it is no YAML/);
  } finally {
    await rm(cwd, { recursive: true });
  }
});

suite("generated trees that users edit", () => {
  for (const [what, file] of [
    ["kustomize", "default/kustomization.yaml"],
    ["helm", "values.yaml"],
  ] as const) {
    test(`${what} keeps an edit of ${file} and takes over changes of the program`, async () => {
      await using folder = await scratchFolder();
      const out = join(folder.path, what);
      const generate = (...words: string[]) => capstan(["generate", what, "--out", out, ...words], at);
      assert.equal((await generate("--image", "registry.example.com/app:v1")).code, 0);
      const path = join(out, file);
      await writeFile(path, `${await readFile(path, "utf8")}# mine\n`);
      assert.equal((await generate("--image", "registry.example.com/app:v1")).out, "nothing to change\n");
      const { code, out: said } = await generate("--image", "registry.example.com/app:v2");
      assert.equal(code, 0);
      assert.match(said, /update/);
      assert.match(await readFile(path, "utf8"), /# mine\n$/);
      const image = what === "helm" ? "values.yaml" : "manager/kustomization.yaml";
      assert.match(await readFile(join(out, image), "utf8"), /v2/);
    });
  }

  test("a line that both changed is marked, with exit code 5", async () => {
    await using folder = await scratchFolder();
    const generate = (image: string) => capstan(["generate", "kustomize", "--out", folder.path, "--image", image], at);
    await generate("registry.example.com/app:v1");
    const path = join(folder.path, "manager/kustomization.yaml");
    await writeFile(path, (await readFile(path, "utf8")).replace("newTag: v1", "newTag: mine"));
    assert.equal((await generate("registry.example.com/app:v2")).code, 5);
    assert.match(await readFile(path, "utf8"), /<<<<<<< yours[\s\S]*mine[\s\S]*=======[\s\S]*v2/);
  });

  test("a file that no record names stays, and the reason is printed", async () => {
    await using folder = await scratchFolder();
    const path = join(folder.path, "values.yaml");
    await writeFile(path, "mine: true\n");
    const { out } = await capstan(["generate", "helm", "--out", folder.path], at);
    assert.match(out, /leave +\S*values\.yaml \(it differs from what is generated/);
    assert.equal(await readFile(path, "utf8"), "mine: true\n");
  });
});

async function scratchFolder(): Promise<AsyncDisposable & { readonly path: string }> {
  const path = await mkdtemp(join(tmpdir(), "capstan-generate-"));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true }) };
}
