/** The contents of generated objects, judged by their effect on a cluster. */
import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { startApiServer } from "@capstan/apiserver";
import { parse, parseAllDocuments } from "yaml";
import { commands } from "../src/commands.ts";
import { capstan } from "./terminal.ts";

const checkout = fileURLToPath(new URL("../../..", import.meta.url)).replace(/\/$/, "");
const hooked = join(checkout, "examples/10-everything/main.ts");

interface Meta {
  readonly name: string;
  readonly namespace?: string;
  readonly labels?: Labels;
}
type Labels = { readonly [key: string]: string };
interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Meta;
  readonly [field: string]: unknown;
}

let cwd = "";
before(async () => {
  const folder = await mkdtemp(join(tmpdir(), "capstan-manifests-"));
  await mustRun(`init shop-operator --capstan ${checkout} --group shop --kind Shop --watch-namespace`, folder);
  cwd = join(folder, "shop-operator");
});
after(() => rm(join(cwd, ".."), { recursive: true, force: true }));

async function mustRun(words: string, at: string): Promise<string> {
  const { code, out, err } = await capstan(words.split(" "), { cwd: at });
  assert.equal(code, 0, `${words}: ${err}`);
  return out;
}

async function generated(words: string): Promise<Manifest[]> {
  return parseAllDocuments(await mustRun(`generate ${words}`, cwd)).map((document) => document.toJS() as Manifest);
}

async function readObject(path: string): Promise<Manifest> {
  return parse(await readFile(join(cwd, path), "utf8")) as Manifest;
}

function find(objects: readonly Manifest[], kind: string, name?: string): Manifest {
  return (
    objects.find((one) => one.kind === kind && (name === undefined || one.metadata.name === name)) ?? assert.fail(kind)
  );
}

/** Whether a selector matches labels. */
function selects(selector: Labels, labels: Labels = {}): boolean {
  return Object.entries(selector).every(([key, value]) => labels[key] === value);
}

interface PodTemplate {
  readonly metadata: { readonly labels: Labels };
  readonly spec: {
    readonly securityContext: object;
    readonly containers: readonly {
      readonly args: readonly string[];
      readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
      readonly securityContext: object;
    }[];
  };
}

function templateOf(deployment: Manifest): PodTemplate {
  return (deployment["spec"] as { readonly template: PodTemplate }).template;
}

test("a single-namespace project gets Roles, watches only it, and can be widened", async () => {
  const objects = await generated("manifests");
  assert.equal(find(objects, "Role", "shop-operator").metadata.namespace, "shop-operator-system");
  assert.ok(!objects.some(({ kind, metadata }) => kind === "ClusterRole" && metadata.name === "shop-operator"));
  const { args = [] } = templateOf(find(objects, "Deployment")).spec.containers[0] ?? {};
  assert.ok(args.includes("--namespaces=$(POD_NAMESPACE)"));
  const wide = await generated("manifests --no-watch-namespace");
  assert.ok(wide.some(({ kind, metadata }) => kind === "ClusterRole" && metadata.name === "shop-operator"));
});

test("the operator's pods pass restricted pod security, which is enforced", async () => {
  const objects = await generated("manifests");
  const { labels } = find(objects, "Namespace").metadata;
  assert.equal(labels?.["pod-security.kubernetes.io/enforce"], "restricted");
  const { spec } = templateOf(find(objects, "Deployment"));
  assert.deepEqual(spec.containers[0]?.securityContext, {
    allowPrivilegeEscalation: false,
    capabilities: { drop: ["ALL"] },
    readOnlyRootFilesystem: true,
  });
  await using server = await startApiServer();
  const send = (path: string, body: object): Promise<Response> =>
    server.fetch(
      new Request(`https://server${path}`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      }),
    );
  assert.equal((await send("/api/v1/namespaces", find(objects, "Namespace"))).status, 201);
  const pods = "/api/v1/namespaces/shop-operator-system/pods";
  const pod = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "one" },
    spec: { ...spec, serviceAccountName: "default" },
  };
  const made = await send(pods, pod);
  assert.equal(made.status, 201, await made.text());
  const loose = { ...pod, metadata: { name: "two" }, spec: { ...pod.spec, securityContext: {} } };
  assert.equal((await send(pods, loose)).status, 403, "the namespace refuses others");
});

test("ServiceMonitor, Service and pods match, and use the same port", async () => {
  await mustRun("generate kustomize", cwd);
  const monitor = await readObject("config/prometheus/monitor.yaml");
  const { endpoints, selector } = monitor["spec"] as {
    readonly endpoints: readonly { readonly port: string; readonly scheme: string; readonly path: string }[];
    readonly selector: { readonly matchLabels: Labels };
  };
  const objects = await generated("manifests");
  const service = find(objects, "Service", "shop-operator-metrics");
  assert.ok(selects(selector.matchLabels, service.metadata.labels));
  assert.equal(monitor.metadata.namespace, service.metadata.namespace);
  const { ports, selector: pods } = service["spec"] as {
    readonly ports: readonly { readonly name: string; readonly targetPort: string }[];
    readonly selector: Labels;
  };
  assert.deepEqual(
    endpoints.map(({ port, scheme, path }) => [port, scheme, path]),
    [["https", "https", "/metrics"]],
  );
  const target = ports.find(({ name }) => name === endpoints[0]?.port)?.targetPort;
  const { metadata, spec } = templateOf(find(objects, "Deployment"));
  assert.ok(selects(pods, metadata.labels));
  assert.equal(spec.containers[0]?.ports.find(({ name }) => name === target)?.containerPort, 8443);
  assert.ok(spec.containers[0].args.includes("--metrics-bind-address=:8443"));
});

test("the network policy admits metrics and webhooks only", async () => {
  const allowed = async (words: string, path: string): Promise<unknown> => {
    await mustRun(`generate kustomize --out ${path}${words}`, cwd);
    const policy = await readObject(`${path}/network-policy/allow-metrics-traffic.yaml`);
    const { podSelector, policyTypes, ingress } = policy["spec"] as {
      readonly podSelector: { readonly matchLabels: Labels };
      readonly policyTypes: readonly string[];
      readonly ingress: unknown;
    };
    const text = await readFile(join(cwd, path, "manager/manager.yaml"), "utf8");
    const objects = parseAllDocuments(text).map((document) => document.toJS() as Manifest);
    assert.ok(selects(podSelector.matchLabels, templateOf(find(objects, "Deployment")).metadata.labels));
    assert.equal(policy.metadata.namespace, find(objects, "Deployment").metadata.namespace);
    assert.deepEqual(policyTypes, ["Ingress"]);
    return ingress;
  };
  const metrics = {
    from: [{ namespaceSelector: { matchLabels: { metrics: "enabled" } } }],
    ports: [{ port: 8443, protocol: "TCP" }],
  };
  assert.deepEqual(await allowed("", "plain"), [metrics]);
  assert.deepEqual(await allowed(` --entry ${hooked}`, "hooked"), [
    metrics,
    { ports: [{ port: 9443, protocol: "TCP" }] },
  ]);
});

test("the admin, editor and viewer roles of a kind allow what their names say", async () => {
  const roles = (await generated("rbac")).filter(({ kind }) => kind === "ClusterRole");
  await using server = await startApiServer({
    tokens: new Map(["admin", "editor", "viewer"].map((name) => [name, { name, groups: ["system:authenticated"] }])),
  });
  const ask = (path: string, body: object, token?: string): Promise<Response> =>
    server.fetch(
      new Request(`https://server${path}`, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        },
        body: JSON.stringify(body),
      }),
    );
  const rbac = "/apis/rbac.authorization.k8s.io/v1";
  for (const person of ["admin", "editor", "viewer"]) {
    const role = find(roles, "ClusterRole", `shop-operator-shop-${person}`);
    const joins = { admin: "admin", editor: "edit", viewer: "view" }[person];
    assert.equal(role.metadata.labels?.[`rbac.authorization.k8s.io/aggregate-to-${joins}`], "true");
    assert.equal((await ask(`${rbac}/clusterroles`, role)).status, 201);
    const binding = {
      metadata: { name: person },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: role.metadata.name },
      subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: person }],
    };
    assert.equal((await ask(`${rbac}/clusterrolebindings`, binding)).status, 201);
  }
  const may = async (token: string, verb: string, subresource = ""): Promise<boolean> => {
    const resourceAttributes = {
      group: "shop.example.com",
      resource: "shops",
      namespace: "default",
      verb,
      subresource,
    };
    const response = await ask(
      "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
      { spec: { resourceAttributes } },
      token,
    );
    return ((await response.json()) as { readonly status: { readonly allowed: boolean } }).status.allowed;
  };
  const verbs = ["get", "list", "watch", "create", "update", "patch", "delete", "deletecollection"];
  const allowed = async (token: string): Promise<string[]> => {
    const answers = await Promise.all(verbs.map((verb) => may(token, verb)));
    return verbs.filter((_, at) => answers[at]);
  };
  assert.deepEqual(await allowed("viewer"), ["get", "list", "watch"]);
  assert.deepEqual(
    await allowed("editor"),
    verbs.filter((verb) => verb !== "deletecollection"),
  );
  assert.deepEqual(await allowed("admin"), verbs);
  for (const person of ["viewer", "editor"]) {
    assert.equal(await may(person, "get", "status"), true);
    assert.equal(await may(person, "patch", "status"), false, "status is the operator's to write");
  }
});

test("the guide for coding agents names existing commands and scripts", async () => {
  const text = await readFile(join(cwd, "AGENTS.md"), "utf8");
  const named = [...text.matchAll(/`npx capstan ([a-z -]+)`/g)].map(([, words = ""]) => words);
  assert.ok(named.length >= 3);
  for (const words of named)
    assert.ok(
      commands.some(({ name }) => name === words || name.startsWith(`${words} `)),
      words,
    );
  const { scripts } = JSON.parse(await readFile(join(cwd, "package.json"), "utf8")) as { readonly scripts: Labels };
  for (const [, script = ""] of text.matchAll(/`npm (?:run )?(\w+)`/g)) assert.ok(script in scripts, script);
});
