/** Tests of the client against a whole API server: the same cases on the embedded one and on kube-apiserver. */
import assert from "node:assert/strict";
import type { Kind } from "@capstan/model";
import { CustomResourceDefinition } from "@capstan/kinds/apiextensions.k8s.io/v1";
import { Deployment } from "@capstan/kinds/apps/v1";
import { ConfigMap, Namespace, Pod, ServiceAccount } from "@capstan/kinds/v1";
import {
  ForbiddenError,
  isApiError,
  isInitialEventsEnd,
  metadataOnly,
  noRetry,
  parseMetadata,
  scanMetadata,
} from "../src/index.ts";
import type { ApiWarning, Client, UserEntry } from "../src/index.ts";

/** An API server for one case. */
export interface World {
  readonly client: Client;
  /** A namespace for this case only. */
  readonly namespace: string;
  /** The server's warnings. */
  readonly warnings: readonly ApiWarning[];
  /** A client for the same server with a token, or as the administrator with impersonation. */
  clientOf(user: UserEntry): Client;
}

/** A case: its name is a sentence. */
export interface Case {
  readonly name: string;
  readonly run: (world: World) => Promise<void>;
}

/** The cases. */
export const cases: Case[] = [];

function add(name: string, run: Case["run"]): void {
  cases.push({ name, run });
}

const configMap = (namespace: string, name: string): { metadata: { namespace: string; name: string } } => ({
  metadata: { namespace, name },
});

add("an object is created, read, updated, patched in every language, applied and deleted", async (world) => {
  const { client, namespace } = world;
  const at = { namespace, name: "a" };
  const made = await client.create(ConfigMap, { metadata: at, data: { a: "1" } });
  assert.equal((await client.get(ConfigMap, at)).metadata.uid, made.metadata.uid);
  const updated = await client.update(ConfigMap, { ...made, data: { a: "2" } });
  assert.equal(updated.data?.["a"], "2");
  await assert.rejects(client.update(ConfigMap, { ...made, data: { a: "3" } }), (error) =>
    isApiError(error, "Conflict"),
  );
  await client.patch(ConfigMap, at, { json: [{ op: "add", path: "/data/b", value: "1" }] });
  await client.patch(ConfigMap, at, { merge: { data: { c: "1" } } });
  const patched = await client.patch(ConfigMap, at, { strategic: { data: { a: null } } });
  assert.deepEqual(patched.data, { b: "1", c: "1" });
  const applied = await client.apply(ConfigMap, { metadata: at, data: { d: "1" } }, { fieldManager: "me" });
  assert.deepEqual(applied.data, { b: "1", c: "1", d: "1" });
  await assert.rejects(
    client.apply(ConfigMap, { metadata: at, data: { b: "2" } }, { fieldManager: "me" }),
    (error) => isApiError(error, "Conflict") && error.causes.some(({ reason }) => reason === "FieldManagerConflict"),
  );
  await client.apply(ConfigMap, { metadata: at, data: { b: "2" } }, { fieldManager: "me", force: true });
  await assert.rejects(client.delete(ConfigMap, { ...at, preconditions: { uid: "another" } }), (error) =>
    isApiError(error, "Conflict"),
  );
  await client.delete(ConfigMap, at);
  await assert.rejects(client.get(ConfigMap, at), (error) => isApiError(error, "NotFound"));
});

add("dry-run stores nothing, strict validation refuses unknown fields", async (world) => {
  const { client, namespace } = world;
  await client.create(ConfigMap, configMap(namespace, "dry"), { dryRun: true });
  await assert.rejects(client.get(ConfigMap, { namespace, name: "dry" }), (error) => isApiError(error, "NotFound"));
  const typo = { ...configMap(namespace, "typo"), dada: {} };
  await assert.rejects(client.create(ConfigMap, typo, { fieldValidation: "Strict" }), (error) =>
    isApiError(error, "BadRequest"),
  );
});

add("an unknown field is a warning that is reported once", async (world) => {
  const { client, namespace } = world;
  for (const name of ["a", "b"]) {
    await client.create(ConfigMap, { ...configMap(namespace, name), dada: {} } as object as ReturnType<
      typeof configMap
    >);
  }
  assert.deepEqual(
    world.warnings.map(({ text }) => text),
    ['unknown field "dada"'],
  );
});

add("a list comes in pages, by selector, or as metadata only", async (world) => {
  const { client, namespace } = world;
  for (const name of ["a", "b", "c", "d", "e"]) {
    const labels = { odd: String("ace".includes(name)) };
    await client.create(ConfigMap, { metadata: { namespace, name, labels }, data: { x: "1" } });
  }
  const where = { namespace, labelSelector: "odd" };
  const pages = await Array.fromAsync(client.list(ConfigMap, { ...where, limit: 2 }).pages());
  assert.deepEqual(
    pages.map(({ items }) => items.length),
    [2, 2, 1],
  );
  assert.equal((await client.list(ConfigMap, { ...where, labelSelector: "odd=true" }).all()).items.length, 3);
  const [first] = (await client.list(metadataOnly(ConfigMap), where).all()).items;
  assert.equal(first?.metadata.name, "a");
  assert.ok(first !== undefined && !("data" in first));
  await client.deleteCollection(ConfigMap, where);
  assert.equal((await client.list(ConfigMap, where).all()).items.length, 0);
});

add("a watch begins with what there is and goes on with what happens; its bytes say the same", async (world) => {
  const { client, namespace } = world;
  const where = { namespace, fieldSelector: "metadata.name=a", sendInitialEvents: true, timeoutSeconds: 30 };
  await client.create(ConfigMap, { ...configMap(namespace, "a"), data: { x: "1" } });
  const seen: string[] = [];
  for await (const event of client.watch(ConfigMap, where)) {
    assert.ok(event.type !== "ERROR");
    seen.push(event.type);
    if (event.type === "BOOKMARK" && isInitialEventsEnd(event.object)) {
      await client.patch(ConfigMap, { namespace, name: "a" }, { merge: { data: { x: "2" } } });
      await client.delete(ConfigMap, { namespace, name: "a" });
    }
    if (event.type === "DELETED") break;
  }
  assert.deepEqual(seen, ["ADDED", "BOOKMARK", "MODIFIED", "DELETED"]);
  const b = await client.create(ConfigMap, { ...configMap(namespace, "b"), data: { x: "1" } });
  for await (const lines of client.watchLines(ConfigMap, { ...where, fieldSelector: "metadata.name=b" })) {
    const [line] = lines;
    assert.ok(line !== undefined);
    const found = scanMetadata(line.bytes);
    assert.ok(found?.managedFields !== undefined);
    const { managedFields: _managed, ...metadata } = b.metadata;
    assert.deepEqual(parseMetadata(line.bytes, found), metadata);
    break;
  }
});

add("a version that is yet to come is a timeout that names its cause", async (world) => {
  const { client, namespace } = world;
  const list = client.list(ConfigMap, { namespace, resourceVersion: "999999999", limit: 0, retry: noRetry });
  await assert.rejects(list.all(), (error) => {
    assert.ok(isApiError(error, "Timeout"));
    assert.equal(error.causes[0]?.reason, "ResourceVersionTooLarge");
    return true;
  });
});

add("scale, token, eviction and status are subresources", async (world) => {
  const { client, namespace } = world;
  const labels = { app: "a" };
  const template = { metadata: { labels }, spec: { containers: [{ name: "a", image: "a" }] } };
  await client.apply(
    Deployment,
    { metadata: { namespace, name: "a" }, spec: { replicas: 0, selector: { matchLabels: labels }, template } },
    { fieldManager: "me" },
  );
  assert.equal((await client.scale(Deployment, { namespace, name: "a" }, 2, { dryRun: true })).spec.replicas, 2);
  assert.equal((await client.getScale(Deployment, { namespace, name: "a" })).spec.replicas ?? 0, 0);
  const token = await client.createToken({ namespace, name: "default" }, { expirationSeconds: 600 });
  assert.equal(token.status.token.split(".").length, 3);
  await client.create(Pod, { metadata: { namespace, name: "p" }, spec: template.spec });
  const status = await client.patch(
    Pod,
    { namespace, name: "p" },
    { merge: { status: { reason: "Tested" } } },
    { subresource: "status" },
  );
  assert.equal(status.status?.reason, "Tested");
  await client.evict({ namespace, name: "p" });
});

add("a missing permission names the rule, and impersonation is how we know", async (world) => {
  const { namespace } = world;
  const impersonate = {
    user: `system:serviceaccount:${namespace}:default`,
    groups: ["system:authenticated"],
    extra: { "example.com/why": ["a test"] },
  };
  await using client = world.clientOf({ proof: { type: "none" }, impersonate });
  await assert.rejects(client.list(Deployment, { namespace: "*" }).all(), (error) => {
    assert.ok(error instanceof ForbiddenError);
    assert.match(
      error.message,
      /^Cannot list Deployment: deployments\.apps is forbidden: User "system:serviceaccount:/u,
    );
    assert.match(error.message, /- apiGroups: \["apps"\]\n {2}resources: \["deployments"\]\n {2}verbs: \["list"\]$/u);
    return true;
  });
});

add("a token that is not valid is Unauthorized, a valid one is its account", async (world) => {
  const { client: admin, namespace } = world;
  await using expired = world.clientOf({ proof: { type: "token", token: "expired" } });
  await assert.rejects(expired.get(Namespace, { name: "default" }), (error) => isApiError(error, "Unauthorized"));
  const { status } = await admin.createToken({ namespace, name: "default" }, {});
  await using account = world.clientOf({ proof: { type: "token", token: status.token } });
  await assert.rejects(account.get(ServiceAccount, { namespace, name: "default" }), (error) =>
    isApiError(error, "Forbidden"),
  );
});

add("discovery knows kinds by name, asks again for new ones, and says when there is none", async (world) => {
  const { client } = world;
  // No other test of a shared cluster defines kinds in this group.
  const group = "undefined.example.com";
  const found = await client.resourceFor({ group: "apps", kind: "Deployment" });
  assert.equal(found.version, "v1");
  assert.equal(found.scope, "Namespaced");
  assert.ok(found.subresources.includes("scale"));
  assert.ok(found.shortNames.includes("deploy"));
  const listed = await client.list(found, { namespace: "kube-system" }).all();
  assert.equal(listed.kind, "DeploymentList");
  await assert.rejects(client.resourceFor({ group, version: "v1", kind: "Widget" }), (error) => {
    assert.ok(isApiError(error, "UnknownKind"));
    assert.match(error.message, /Install the CustomResourceDefinition of Widget in undefined\.example\.com/u);
    return true;
  });
  const missing = { ...found, group, plural: "widgets", kind: "Widget" };
  await assert.rejects(client.list(missing, { namespace: "default" }).all(), (error) =>
    isApiError(error, "UnknownKind"),
  );
  assert.equal((await client.requireVersion("1.30")).major, 1);
});

add("many requests at once share the connection and all get their answer", async (world) => {
  const { client, namespace } = world;
  await client.create(ConfigMap, configMap(namespace, "a"));
  const reads = Array.from({ length: 300 }, () => client.get(ConfigMap, { namespace, name: "a" }));
  assert.equal((await Promise.all(reads)).length, 300);
});

add("the watches of a custom kind end with its definition", async ({ client, namespace }) => {
  const group = `${namespace}.example.com`;
  const names = { plural: "gadgets", kind: "Gadget" };
  const Gadget: Kind = { group, version: "v1", scope: "Namespaced", ...names };
  const definition = { name: `gadgets.${group}` };
  const schema = { openAPIV3Schema: { type: "object" } } as const;
  await client.create(CustomResourceDefinition, {
    metadata: definition,
    spec: { group, names, scope: "Namespaced", versions: [{ name: "v1", served: true, storage: true, schema }] },
  });
  const signal = AbortSignal.timeout(60_000);
  await untilServed(() => client.list(Gadget, { namespace, signal }).all());
  const watch = client.watch(Gadget, { namespace, signal, sendInitialEvents: true });
  let removed: Promise<unknown> | undefined;
  for await (const { type } of watch) {
    assert.equal(type, "BOOKMARK");
    await (removed ??= client.delete(CustomResourceDefinition, definition));
  }
  assert.notEqual(removed, undefined);
  await assert.rejects(client.get(Gadget, { namespace, name: "a" }), (error) => isApiError(error, "UnknownKind"));
});

/** A kind is served a moment after its CRD is created. */
async function untilServed(call: () => Promise<unknown>): Promise<void> {
  for (;;) {
    try {
      await call();
      return;
    } catch (error) {
      if (!isApiError(error, "UnknownKind", "NotFound")) throw error;
    }
  }
}
