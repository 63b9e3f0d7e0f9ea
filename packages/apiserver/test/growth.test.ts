/** Parsing time of client input grows linearly: each parser is measured at n, 2n and 4n. */
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  addQuantities,
  parseDuration,
  parseLabelSelector,
  parseQuantity,
  parseTime,
  quantityToInteger,
} from "@capstan/model";
import { applyJsonPatch, applyStrategicPatch, patchTypeFromOpenApi } from "@capstan/patch";
import { builtInDefinitions } from "@capstan/kinds";
import { findPemBlocks } from "@capstan/pki";
import { parseJson } from "../src/decode/json-text.ts";
import { StrictProblems } from "../src/decode/strict.ts";
import { parseYaml } from "../src/decode/yaml-text.ts";
import { dropDuplicateOwners } from "../src/metadata/system-fields.ts";
import { startApiServer } from "../src/index.ts";
import { isLinear, most, negligible } from "./linear.ts";

interface Reader {
  readonly name: string;
  readonly size: number;
  readonly make: (n: number) => string;
  readonly run: (text: string) => unknown;
}

const list = (n: number, item: (at: number) => string): string =>
  Array.from({ length: n }, (_, at) => item(at)).join("");
const yaml = (name: string, make: (n: number) => string, size = 1500): Reader => ({
  name: `YAML: ${name}`,
  size,
  make,
  run: (text) => parseYaml(text, new StrictProblems()),
});
const json = (name: string, make: (n: number) => string, size = 20_000): Reader => ({
  name: `JSON: ${name}`,
  size,
  make,
  run: (text) => parseJson(text, new StrictProblems()),
});

const items = <T>(n: number, item: (at: number) => T): T[] => Array.from({ length: n }, (_, at) => item(at));

const readers: readonly Reader[] = [
  yaml("keys", (n) => list(n, (at) => `k${at}: 1\n`)),
  yaml("the same key", (n) => "a: 1\n".repeat(n)),
  yaml("keys in braces", (n) => `{${list(n, (at) => `k${at}: 1, `)}}`),
  yaml("anchors with one alias each", (n) => list(n, (at) => `- &a${at} 1\n- *a${at}\n`)),
  yaml("merge keys", (n) => list(n, (at) => `<<: {k${at}: 1}\n`)),
  yaml("an ordered map", (n) => `!!omap\n${list(n, (at) => `- k${at}: 1\n`)}`),
  yaml("unknown tags", (n) => list(n, (at) => `- !t${at} {}\n`)),
  yaml("escaped quotes", (n) => `a: "${'\\"'.repeat(n)}"`, 100_000),
  yaml("escaped quotes without an end", (n) => `{"${'\\"'.repeat(n)}`, 100_000),
  yaml("errors in one line", (n) => `[${"@,".repeat(n)}]`, 5000),
  yaml("brackets that were not opened", (n) => "a: ]\n".repeat(n)),
  yaml("comments", (n) => `${"# c\n".repeat(n)}a: 1`, 3000),
  yaml("a folded text", (n) => `a: >\n${"  x\n\n".repeat(n)}`, 5000),
  json("fields", (n) => `{${list(n, (at) => `"k${at}":1,`)}"z":1}`),
  json("the same field", (n) => `{${'"a":1,'.repeat(n)}"a":1}`),
  json("escaped quotes", (n) => `{"a":1,"a":"${'\\"'.repeat(n)}"}`),
  json("backslashes", (n) => `{"a":1,"a":"${"\\\\".repeat(n)}"}`),
  json("no end", (n) => `${'{"a":[1,'.repeat(Math.min(n, 4000))}${"1,".repeat(n)}`),
  {
    name: "quantity: digits",
    size: 20_000,
    make: (n) => `${"1".repeat(n)}x`,
    run: (text) => refused(() => parseQuantity(text)),
  },
  {
    name: "duration: digits",
    size: 50_000,
    make: (n) => `${"1".repeat(n)}x`,
    run: (text) => refused(() => parseDuration(text)),
  },
  {
    name: "time: digits",
    size: 50_000,
    make: (n) => `2020-01-01T00:00:00.${"1".repeat(n)}x`,
    run: (text) => refused(() => parseTime(text)),
  },
  {
    name: "label selector: requirements",
    size: 2000,
    make: (n) => list(n, (at) => `k${at} in (a, b),`).slice(0, -1),
    run: parseLabelSelector,
  },
  {
    name: "label selector: spaces",
    size: 50_000,
    make: (n) => `a${" ".repeat(n)}!`,
    run: (text) => refused(() => parseLabelSelector(text)),
  },
  {
    name: "PEM: blocks that do not end",
    size: 5000,
    make: (n) => list(n, (at) => `-----BEGIN A${at}-----\n`),
    run: findPemBlocks,
  },
  {
    name: "owner references",
    size: 2000,
    make: (n) =>
      JSON.stringify(Array.from({ length: n }, (_, at) => ({ apiVersion: "v1", kind: "A", name: "a", uid: `${at}` }))),
    run: (text) =>
      dropDuplicateOwners({ apiVersion: "v1", kind: "A", metadata: { ownerReferences: JSON.parse(text) as never } }),
  },
  {
    name: "quantity: sums with large exponents",
    size: 100_000_000,
    make: (n) => `1e${n}`,
    run: (text) => [
      addQuantities(parseQuantity(text), parseQuantity("1m")),
      quantityToInteger(parseQuantity(text), -3),
    ],
  },
  {
    name: "strategic patch: items that the order does not have",
    size: 2000,
    make: (n) =>
      JSON.stringify({
        metadata: {
          finalizers: items(n, (at) => `a.b/f${at}`),
          "$setElementOrder/finalizers": items(n, (at) => `a.b/f${at * 2}`),
        },
      }),
    run: (text) => applyStrategicPatch({ metadata: { finalizers: ["a.b/x"] } }, JSON.parse(text) as never, podType),
  },
  {
    name: "JSON patch: fields",
    size: 2000,
    make: (n) => JSON.stringify(Array.from({ length: n }, (_, at) => ({ op: "add", path: `/a${at}`, value: at }))),
    run: (text) => applyJsonPatch({}, JSON.parse(text) as never),
  },
];

const podType = patchTypeFromOpenApi(builtInDefinitions(), "io.k8s.api.core.v1.Pod");

function refused(read: () => unknown): unknown {
  try {
    return read();
  } catch (error) {
    return error;
  }
}

for (const { name, size, make, run } of readers) {
  test(`${name}: the cost grows linearly with the length`, () => {
    const [small, middle, large] = [make(size), make(size * 2), make(size * 4)];
    for (const text of [small, middle]) refused(() => run(text));
    const isFine = isLinear(
      () => refused(() => run(small)),
      () => refused(() => run(large)),
    );
    assert.ok(isFine, `${name} takes more than ${most} times as long for four times the length`);
  });
}

const meta = { name: "a", namespace: "default" };
const container = { name: "a", image: "a" };

/** Objects with long lists, created through the whole server. */
const bodies: readonly {
  readonly path: string;
  /** Default: POST. */
  readonly method?: string;
  /** The content type. Default: JSON. */
  readonly type?: string;
  readonly name: string;
  readonly size: number;
  readonly make: (n: number) => object;
}[] = [
  {
    name: "owner references of a ConfigMap",
    path: "/api/v1/namespaces/default/configmaps",
    size: 500,
    make: (n) => ({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: {
        ...meta,
        ownerReferences: items(n, (at) => ({ apiVersion: "v1", kind: "A", name: "a", uid: `${at}` })),
      },
    }),
  },
  {
    name: "a TLS secret with blocks that do not end",
    path: "/api/v1/namespaces/default/secrets",
    size: 3000,
    make: (n) => ({
      apiVersion: "v1",
      kind: "Secret",
      metadata: meta,
      type: "kubernetes.io/tls",
      stringData: { "tls.crt": "-----BEGIN A-----\n".repeat(n), "tls.key": "-----BEGIN A-----\n".repeat(n) },
    }),
  },
  {
    name: "a certificate signing request with empty lines",
    path: "/apis/certificates.k8s.io/v1/certificatesigningrequests",
    size: 10_000,
    make: (n) => ({
      apiVersion: "certificates.k8s.io/v1",
      kind: "CertificateSigningRequest",
      metadata: { name: "a" },
      spec: {
        signerName: "a.b/c",
        usages: ["client auth"],
        request: Buffer.from(`-----BEGIN CERTIFICATE REQUEST-----${"\n".repeat(n)}`).toString("base64"),
      },
    }),
  },
  {
    name: "tolerations of a pod",
    path: "/api/v1/namespaces/default/pods",
    size: 500,
    make: (n) => pod({ tolerations: items(n, (at) => ({ key: `k${at}`, operator: "Exists" })) }),
  },
  {
    name: "tolerations of a pod and its runtime class",
    path: "/api/v1/namespaces/default/pods",
    size: 500,
    make: (n) => ({
      ...pod({ runtimeClassName: "tolerant", tolerations: items(n, (at) => ({ key: `k${at}`, operator: "Exists" })) }),
    }),
  },
  {
    name: "a server-side apply of many ports",
    path: "/api/v1/namespaces/default/services/a?fieldManager=m&dryRun=All",
    method: "PATCH",
    type: "application/apply-patch+yaml",
    size: 300,
    make: (n) => ({
      apiVersion: "v1",
      kind: "Service",
      metadata: meta,
      spec: { ports: items(n, (at) => ({ name: `p${at}`, port: 1 + at })) },
    }),
  },
  {
    name: "a server-side apply of many fields",
    path: "/api/v1/namespaces/default/configmaps/a?fieldManager=m&dryRun=All",
    method: "PATCH",
    type: "application/apply-patch+yaml",
    size: 1000,
    make: (n) => ({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: meta,
      data: Object.fromEntries(items(n, (at) => [`k${at}`, "a"])),
    }),
  },
  {
    name: "addresses of endpoints",
    path: "/api/v1/namespaces/default/endpoints",
    size: 1000,
    make: (n) => ({
      apiVersion: "v1",
      kind: "Endpoints",
      metadata: meta,
      subsets: [{ addresses: items(n, (at) => ({ ip: `10.1.${at >> 8}.${at & 255}` })), ports: [{ port: 1 }] }],
    }),
  },
  {
    name: "ports of a pod",
    path: "/api/v1/namespaces/default/pods",
    size: 500,
    make: (n) =>
      pod({ containers: [{ ...container, ports: items(n, (at) => ({ containerPort: 1 + (at % 60_000) })) }] }),
  },
  {
    name: "environment of a pod",
    path: "/api/v1/namespaces/default/pods",
    size: 1000,
    make: (n) => pod({ containers: [{ ...container, env: items(n, (at) => ({ name: `E${at}`, value: "$(E1)" })) }] }),
  },
  {
    name: "volumes of a pod",
    path: "/api/v1/namespaces/default/pods",
    size: 500,
    make: (n) =>
      pod({
        volumes: items(n, (at) => ({ name: `v${at}`, emptyDir: {} })),
        containers: [{ ...container, volumeMounts: items(n, (at) => ({ name: `v${at}`, mountPath: `/v${at}` })) }],
      }),
  },
  {
    name: "containers of a pod",
    path: "/api/v1/namespaces/default/pods",
    size: 250,
    make: (n) => pod({ containers: items(n, (at) => ({ name: `c${at}`, image: "a" })) }),
  },
  {
    name: "files of a projected volume",
    path: "/api/v1/namespaces/default/pods",
    size: 500,
    make: (n) =>
      pod({
        volumes: [{ name: "v", configMap: { name: "a", items: items(n, (at) => ({ key: "a", path: `p${at}` })) } }],
      }),
  },
  {
    name: "ports of a service",
    path: "/api/v1/namespaces/default/services",
    size: 500,
    make: (n) => ({
      apiVersion: "v1",
      kind: "Service",
      metadata: meta,
      spec: { ports: items(n, (at) => ({ name: `p${at}`, port: 1 + (at % 60_000) })) },
    }),
  },
  {
    name: "labels and annotations",
    path: "/api/v1/namespaces/default/configmaps",
    size: 1000,
    make: (n) => ({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: {
        ...meta,
        labels: Object.fromEntries(items(n, (at) => [`l${at}`, "a"])),
        annotations: Object.fromEntries(items(n, (at) => [`a${at}`, "a"])),
        finalizers: items(n, (at) => `a.b/f${at}`),
      },
    }),
  },
  {
    name: "rules of a role",
    path: "/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles",
    size: 500,
    make: (n) => ({
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "Role",
      metadata: meta,
      rules: items(n, (at) => ({ apiGroups: [""], resources: [`r${at}`], verbs: ["get"] })),
    }),
  },
  {
    name: "webhooks",
    path: "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations",
    size: 100,
    make: (n) => ({
      apiVersion: "admissionregistration.k8s.io/v1",
      kind: "ValidatingWebhookConfiguration",
      metadata: { name: "a" },
      webhooks: items(n, (at) => ({
        name: `w${at}.a.b`,
        clientConfig: { url: "https://127.0.0.1/" },
        sideEffects: "None",
        admissionReviewVersions: ["v1"],
      })),
    }),
  },
];

function pod(spec: object): object {
  return { apiVersion: "v1", kind: "Pod", metadata: meta, spec: { containers: [container], ...spec } };
}

test("the cost of creating objects with long lists grows linearly", async (t) => {
  await using server = await startApiServer({});
  const runtimeClass = {
    apiVersion: "node.k8s.io/v1",
    kind: "RuntimeClass",
    metadata: { name: "tolerant" },
    handler: "a",
    scheduling: { tolerations: items(200, (at) => ({ key: `r${at}`, operator: "Exists" })) },
  };
  const classes = "http://in-process/apis/node.k8s.io/v1/runtimeclasses";
  const headers = { "content-type": "application/json" };
  const made = await server.fetch(
    new Request(classes, { method: "POST", headers, body: JSON.stringify(runtimeClass) }),
  );
  assert.equal(made.status, 201);
  for (const { name, path, method = "POST", type = "application/json", size, make } of bodies) {
    await t.test(name, async () => {
      const send = async (body: string): Promise<number> => {
        const before = process.cpuUsage();
        const headers = { "content-type": type };
        const url = `http://in-process${path}${path.includes("?") ? "" : "?dryRun=All"}`;
        await (await server.fetch(new Request(url, { method, headers, body }))).text();
        const { user, system } = process.cpuUsage(before);
        return user + system;
      };
      const [small, large] = [JSON.stringify(make(size)), JSON.stringify(make(size * 4))];
      const least = async (body: string): Promise<number> =>
        Math.min(await send(body), await send(body), await send(body));
      await least(small);
      let isFine = false;
      for (let attempt = 0; attempt < 4 && !isFine; attempt++) {
        const cost = await least(large);
        isFine = cost < 2 * negligible || cost / (await least(small)) < most;
      }
      assert.ok(isFine, `${name}: more than ${most} times as long for four times the length`);
    });
  }
});
