/** An operator with exactly its generated roles, through versions that drop a webhook, a kind with webhooks and a child kind. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { startApiServer } from "@capstan/apiserver";
import type { ApiServer } from "@capstan/apiserver";
import { createClient, inProcess, isApiError, noRetry } from "@capstan/client";
import { ConfigMap, Secret } from "@capstan/kinds/v1";
import type { KubeObject } from "@capstan/model";
import { rbacOf, readProgram } from "@capstan/scaffold";
import { defineResource, s } from "@capstan/schema";
import type { AnyKind, Api } from "../src/api.ts";
import { apiOf } from "../src/client-api.ts";
import { sleep, systemClock } from "../src/clock.ts";
import { controller } from "../src/define.ts";
import { createLog, silentLog } from "../src/log.ts";
import type { Log } from "../src/log.ts";
import { installCrds } from "../src/crds/crds.ts";
import type { Previous } from "../src/inventory/previous.ts";
import { RunningOperator } from "../src/manager/operator.ts";
import { Registry } from "../src/metrics/registry.ts";
import { registeredWebhooks } from "../src/inventory/registered-webhooks.ts";
import { operator } from "../src/operator.ts";
import type { Operator } from "../src/operator.ts";
import { resourcesAmong } from "../src/resource.ts";
import { needsWebhooks } from "../src/webhook/paths.ts";
import { MutatingWebhookConfiguration, ValidatingWebhookConfiguration } from "../src/webhook/registration.ts";
import { openWebhooks } from "../src/webhook/webhooks.ts";
import type { OpenEndpoint } from "../src/webhook/webhooks.ts";

const NAMESPACE = "ops";
const spec = s.object({ size: s.int32().default(1) });
const names = { group: "example.com", version: "v1" } as const;
const CheckedShop = defineResource({ ...names, kind: "Shop", spec, validate: () => undefined });
const Shop = defineResource({ ...names, kind: "Shop", spec });
const Crate = defineResource({ ...names, kind: "Crate", spec, default: () => undefined });
const hooked = ["crates.example.com", "shops.example.com"];

const first = operator({
  name: "shops",
  controllers: [
    controller(CheckedShop, { owns: [ConfigMap, Secret] }, async ({ object, apply }) => {
      await apply(ConfigMap, object.metadata.name, { data: { a: "1" } });
      await apply(Secret, object.metadata.name, { stringData: { a: "1" } });
    }),
    controller(Crate, { owns: [ConfigMap] }, () => undefined),
  ],
});

/** A version without webhooks, without crates and without Secrets. */
function second(previous: Previous): Operator {
  const shop = controller(Shop, { owns: [ConfigMap] }, async ({ object, apply }) => {
    await apply(ConfigMap, object.metadata.name, { data: { a: "2" } });
  });
  return operator({ name: "shops", previous, controllers: [shop] });
}

/** Registered webhooks without an endpoint, as after the removal of their version. */
const noEndpoint: OpenEndpoint = async () => ({
  reach: { by: "service", namespace: NAMESPACE, name: "shops-webhook", port: 443 },
  use: () => undefined,
  [Symbol.asyncDispose]: async () => undefined,
});

interface World {
  readonly admin: Api;
  /** The server's errors for forbidden requests of the operator. */
  readonly refused: string[];
  /** Replaces the roles by those of this program, and runs it until the function has ended. */
  run(app: Operator, log: Log, during: (running: RunningOperator) => Promise<void>): Promise<void>;
}

function worldOn(server: ApiServer): World {
  const refused: string[] = [];
  const admin = apiOf(createClient(inProcess(server.fetch)));
  const asOperator = async (request: Request): Promise<Response> => {
    const headers = new Headers(request.headers);
    headers.set("impersonate-user", `system:serviceaccount:${NAMESPACE}:shops`);
    headers.append("impersonate-group", "system:serviceaccounts");
    headers.append("impersonate-group", "system:authenticated");
    const response = await server.fetch(new Request(request, { headers }));
    if (response.status === 403) refused.push(await response.clone().text());
    return response;
  };
  let roles: readonly KubeObject[] = [];
  return {
    admin,
    refused,
    async run(app, log, during) {
      for (const role of roles) await admin.delete(kindOf(role), keyIn(role), {});
      roles = rbacOf(readProgram([app], { name: "shops" }), {
        namespace: NAMESPACE,
        image: "x",
        replicas: 1,
        namespaced: false,
      });
      for (const role of roles) await admin.create(kindOf(role), role, { manager: "test" });
      const api = apiOf(createClient(inProcess(asOperator), { retry: noRetry }));
      const resources = resourcesAmong(app.definition.controllers.map(({ kind }) => kind));
      const told = { api, name: "shops", previous: app.definition.previous, version: undefined, log };
      const shared = { api, clock: systemClock, log, registry: new Registry(), namespace: NAMESPACE };
      await using webhooks = needsWebhooks(resources)
        ? await openWebhooks({ ...shared, resources, name: "shops", endpoint: noEndpoint })
        : undefined;
      await webhooks?.register();
      await using running = new RunningOperator(app.definition, {
        ...shared,
        leaderElection: { namespace: NAMESPACE, identity: "one" },
        hooks: registeredWebhooks(told, resources),
      });
      await during(running);
    },
  };
}

function keyIn({ metadata }: KubeObject) {
  return { namespace: metadata.namespace ?? "", name: metadata.name ?? "" };
}

function kindOf({ apiVersion, kind }: KubeObject): AnyKind {
  const [group, version] = apiVersion.includes("/") ? apiVersion.split("/") : ["", apiVersion];
  const scope = kind.startsWith("Cluster") ? "Cluster" : "Namespaced";
  return { group: group ?? "", version: version ?? "", kind, plural: `${kind.toLowerCase()}s`, scope };
}

async function isThere(api: Api, kind: AnyKind, name: string): Promise<boolean> {
  const key = { namespace: kind.scope === "Cluster" ? "" : "default", name };
  return await api.get(kind, key).then(
    () => true,
    (error: unknown) => {
      if (isApiError(error, "NotFound")) return false;
      throw error;
    },
  );
}

async function until(holds: () => Promise<boolean> | boolean, what: string): Promise<void> {
  const end = systemClock.now() + 120_000;
  while (!(await holds())) {
    if (systemClock.now() > end) assert.fail(`waited in vain until ${what}`);
    await sleep(systemClock, 20);
  }
}

const configurations = [MutatingWebhookConfiguration, ValidatingWebhookConfiguration];

/** The existing webhook configurations. */
async function told(api: Api): Promise<readonly string[]> {
  const lists = await Promise.all(configurations.map((kind) => api.list(kind, {})));
  return lists.flatMap(({ items }) => items.map(({ metadata }) => metadata.name)).toSorted();
}

/** A shop that the first version has reconciled, with registered webhooks; that version has ended. */
async function begin(): Promise<World & AsyncDisposable> {
  const server = await startApiServer();
  const world = worldOn(server);
  const { admin } = world;
  const Namespace = { ...kindOf({ apiVersion: "v1", kind: "Namespace", metadata: {} }), scope: "Cluster" } as const;
  await admin.create(Namespace, { metadata: { name: NAMESPACE } } as KubeObject, { manager: "test" });
  await installCrds(first.definition.controllers, { api: admin, clock: systemClock, manager: "test" });
  await writeShop(admin, 1);
  await world.run(first, silentLog, () => until(() => isThere(admin, Secret, "s"), "the Secret is there"));
  assert.deepEqual(await told(admin), hooked);
  await assert.rejects(writeShop(admin, 2), /failed calling webhook/u, "nobody answers any more");
  return { ...world, [Symbol.asyncDispose]: () => server.close() };
}

async function writeShop(admin: Api, size: number): Promise<void> {
  const object = { apiVersion: "example.com/v1", kind: "Shop", metadata: { namespace: "default", name: "s" } };
  await admin.apply(Shop, { ...object, spec: { size } } as KubeObject, { manager: "test", force: true });
}

test("resources of earlier versions are removed with the generated roles only", async () => {
  await using world = await begin();
  const { admin, refused } = world;
  await world.run(second({ names: ["stores"], owned: [Secret], hooked }), silentLog, async () => {
    await until(async () => (await told(admin)).length === 0, "no hooks are told");
    await until(async () => !(await isThere(admin, Secret, "s")), "the Secret is gone");
    await writeShop(admin, 3);
  });
  assert.deepEqual(refused, [], "nothing that was asked for was refused, in either version");
});

test("an operator that may not remove former resources logs what to declare", async () => {
  await using world = await begin();
  const { admin } = world;
  const lines: string[] = [];
  const log = createLog({ clock: systemClock, write: (line) => lines.push(line) });
  const warned = (what: RegExp) => (): boolean => lines.some((line) => what.test(line));
  await world.run(second({}), log, async () => {
    await until(warned(/left of Secret .* `previous\.owned`/u), "it names the kind that it owned");
    await until(warned(/crates\.example\.com, shops\.example\.com .* `previous\.hooked`/u), "it names the hooks");
  });
  assert.deepEqual(await told(admin), hooked);
  assert.ok(await isThere(admin, Secret, "s"));
  await world.run(second({ owned: [Secret], hooked }), silentLog, async () => {
    await until(async () => (await told(admin)).length === 0, "it is not forgotten meanwhile");
    await until(async () => !(await isThere(admin, Secret, "s")), "the Secret is gone");
  });
});
