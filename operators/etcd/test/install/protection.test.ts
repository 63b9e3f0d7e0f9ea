import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { startApiServer } from "@capstan/apiserver";
import { askApi, kubernetesMissing, useKubernetes } from "@capstan/kubernetes";
import { parseAllDocuments } from "yaml";

/** A call to an API server as some user: the status and the text of the response. */
type Call = (
  method: string,
  path: string,
  body?: object,
) => Promise<{ readonly status: number; readonly text: string }>;

interface Policy {
  readonly metadata: { readonly name: string };
  readonly spec: { matchConditions?: readonly { readonly name: string }[] };
}

/** The two documents of the manifest. */
async function policies(): Promise<readonly Policy[]> {
  const text = await readFile(join(import.meta.dirname, "../../manifests/protection.yaml"), "utf8");
  return parseAllDocuments(text).map((document) => document.toJS() as Policy);
}

async function install(call: Call): Promise<void> {
  const plurals = ["validatingadmissionpolicies", "validatingadmissionpolicybindings"];
  for (const [at, object] of (await policies()).entries()) {
    const { status, text } = await call("POST", `/apis/admissionregistration.k8s.io/v1/${plurals[at]}`, object);
    assert.ok(status < 300, text);
  }
}

function secretOf(name: string, labels: object) {
  return { apiVersion: "v1", kind: "Secret", metadata: { name, labels }, stringData: { key: "value" } };
}

const LABEL = { "etcd.capstan.dev/cluster": "orders" };

/** Checks on any server what a user may and may not do to parts of a cluster. */
async function assertProtected(call: Call, namespace: string): Promise<void> {
  const path = `/api/v1/namespaces/${namespace}/secrets`;
  for (const [name, labels] of [
    ["kept", LABEL],
    ["other", {}],
    ["free", LABEL],
  ] as const)
    assert.equal((await call("POST", path, secretOf(name, labels))).status, 201);
  const until = performance.now() + 60_000;
  // A policy takes effect a moment after its creation.
  for (;;) {
    const { status, text } = await call("DELETE", `${path}/kept?dryRun=All`);
    if (status === 422 || status === 403) {
      assert.match(text, /kept belongs to the etcd cluster orders: change the EtcdCluster/u);
      break;
    }
    assert.ok(performance.now() < until, `the policy is not in force: ${status} ${text}`);
  }
  const changed = await call("PATCH", `${path}/kept`, { data: { key: "b3RoZXI=" } });
  assert.match(changed.text, /belongs to the etcd cluster orders/u);
  assert.equal((await call("PATCH", `${path}/kept`, { metadata: { annotations: { note: "seen" } } })).status, 200);
  assert.equal((await call("DELETE", `${path}/other`)).status, 200, "what is not of a cluster may go");
  const freed = { metadata: { annotations: { "etcd.capstan.dev/unprotected": "true" } } };
  assert.equal((await call("PATCH", `${path}/free`, freed)).status, 200);
  assert.equal((await call("DELETE", `${path}/free`)).status, 200, "whoever knows better may");
}

test("embedded: users cannot delete or change operator objects without an override", async () => {
  await using server = await startApiServer();
  const callAs =
    (user: string): Call =>
    async (method, path, body) => {
      const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
      const headers = { "content-type": type, "impersonate-user": user, "impersonate-group": "system:masters" };
      const text = body === undefined ? {} : { body: JSON.stringify(body) };
      const answer = await server.fetch(new Request(`http://server${path}`, { method, headers, ...text }));
      return { status: answer.status, text: await answer.text() };
    };
  await install(callAs("alice"));
  await assertProtected(callAs("alice"), "default");
  const operator = callAs("system:serviceaccount:etcd-operator-system:etcd-operator");
  assert.equal((await operator("DELETE", "/api/v1/namespaces/default/secrets/kept")).status, 200);
});

test("kubernetes: the same", { skip: kubernetesMissing() }, async (t) => {
  const { credentials, namespace } = await useKubernetes(t, { own: true });
  const call: Call = async (method, path, body) => {
    const contentType = method === "PATCH" ? "application/merge-patch+json" : "application/json";
    const answer = await askApi(credentials, { method: method as "POST", path, body, contentType });
    return { status: answer.status, text: JSON.stringify(answer.body) };
  };
  await install(call);
  await assertProtected(call, namespace);
});
