/** Users and roles of a spec, on real members: once auth is on, every user has exactly the rights of its roles. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { EtcdError } from "../../src/etcd/index.ts";
import type { EtcdClient } from "../../src/etcd/index.ts";
import { GROUNDS } from "./ground.ts";
import { Scene } from "./scene.ts";
import type { Guise } from "./scene.ts";

const PASSWORD = "app-password";
/** The certificate of the clients' Secret: its common name is a user of the spec. */
const CLIENT: Guise = {};
/** Signed by the right authority, but not a user of the spec. */
const STRANGER: Guise = { secret: "e-server" };
const NOBODY: Guise = { secret: { is: "none" } };
const app = (password: string): Guise => ({ credentials: { name: "app", password } });

const READER = { name: "reader", permissions: [{ access: "Read", key: "shared/", prefix: true }] };
const WRITER = { name: "writer", permissions: [{ access: "ReadWrite", key: "app/", prefix: true }] };
const APP = { name: "app", passwordSecret: PASSWORD, roles: ["writer"] };

for (const [name, start] of Object.entries(GROUNDS)) {
  test(`${name}: with spec.auth users have exactly the rights of their roles`, async (t) => {
    const scene = await Scene.open(t, await start(t));
    await setPassword(scene, "first");
    await scene.apply({ size: 1, version: "3.6.16" });
    await scene.settled("one member is well");
    await answers(scene, write(STRANGER, "shared/x"), "done");
    await becomes(scene, write(NOBODY, "shared/x"), "Unreachable");

    const users = [{ name: "e-client", roles: ["reader"] }, APP];
    await scene.edit({ auth: { enabled: true, roles: [READER, WRITER], users } });
    await becomes(scene, write(STRANGER, "shared/x"), "Denied");
    await answers(scene, read(CLIENT, "shared/x"), "done");
    await answers(scene, read(CLIENT, "app/x"), "Denied");
    await answers(scene, write(CLIENT, "shared/x"), "Denied");
    await answers(scene, write(app("first"), "app/x"), "done");
    await answers(scene, write(app("first"), "shared/x"), "Denied");
    await answers(scene, write(app("wrong"), "app/x"), "Unauthenticated");

    // A restarted operator knows no passwords, and is root all the same.
    await scene.killOperator();
    scene.startOperator();
    const more = [{ name: "e-client", roles: ["reader", "writer"] }, APP];
    await scene.edit({ size: 3, auth: { users: more } });
    await scene.settled("three members are well");
    await becomes(scene, write(CLIENT, "app/x"), "done");
    await setPassword(scene, "second");
    await becomes(scene, write(app("second"), "app/x"), "done");
    await answers(scene, write(app("first"), "app/x"), "Unauthenticated");
    await scene.edit({ auth: { users: [APP] } });
    await becomes(scene, write(CLIENT, "app/x"), "Denied");

    await scene.edit({ auth: { enabled: false } });
    await becomes(scene, write(STRANGER, "elsewhere"), "done");
  });
}

/** A call of some user, with a description. */
interface Attempt {
  readonly what: string;
  readonly as: Guise;
  readonly call: (client: EtcdClient) => Promise<unknown>;
}

function write(as: Guise, key: string): Attempt {
  return { what: `${JSON.stringify(as)} writes ${key}`, as, call: (client) => client.kv.put(key, "written") };
}

function read(as: Guise, key: string): Attempt {
  return { what: `${JSON.stringify(as)} reads ${key}`, as, call: (client) => client.kv.get(key) };
}

/** Errors that do not depend on rights: the machine is busy, or the leader has changed. */
const UNDECIDED: ReadonlySet<string> = new Set(["Unreachable", "Deadline", "NoLeader"]);

/** The outcome is decided: any other one fails the test. */
async function answers(scene: Scene, attempt: Attempt, answer: string): Promise<void> {
  const found = await scene.until(attempt.what, async () => {
    const now = await outcomeOf(scene, attempt);
    return !UNDECIDED.has(now) && now;
  });
  assert.equal(found, answer, attempt.what);
}

/** Waits until the operator has brought about this outcome. */
async function becomes(scene: Scene, attempt: Attempt, answer: string): Promise<void> {
  let last = "";
  const isSo = async (): Promise<boolean> => (last = await outcomeOf(scene, attempt)) === answer;
  await scene.until(`${attempt.what}: ${answer}`, isSo).catch((error: unknown) => {
    throw new Error(`${attempt.what}: the last answer was ${last}`, { cause: error });
  });
}

/** The outcome of an attempt: success, or the error's code. */
async function outcomeOf(scene: Scene, { as, call }: Attempt): Promise<string> {
  await using client = await scene.leader(as);
  try {
    await call(client);
    return "done";
  } catch (error) {
    if (error instanceof EtcdError) return error.code;
    throw error;
  }
}

async function setPassword(scene: Scene, password: string): Promise<void> {
  const metadata = { name: PASSWORD, namespace: scene.ground.namespace };
  const secret = { apiVersion: "v1", kind: "Secret", metadata, stringData: { password } };
  await scene.kube.apply(scene.path("secrets", PASSWORD), secret);
}
