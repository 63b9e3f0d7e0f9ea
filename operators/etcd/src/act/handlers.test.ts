import assert from "node:assert/strict";
import { test } from "node:test";
import type { Action } from "../contract.ts";
import { handlers } from "./handlers.ts";
import type { Handler, ActionEnvironment } from "./reconcile-context.ts";

const CHANGES: readonly Action[] = [
  { do: "add-learner", member: "e-1" },
  { do: "remove-member", member: "e-1", id: "b", why: "it is gone" },
];

/** A reconcile in which a step can or cannot begin, and the requests that etcd received. */
function turnWith(action: Action, begin: () => void): { readonly turn: object; readonly asked: string[] } {
  const asked: string[] = [];
  const ask = (what: string) => async () => void asked.push(what);
  const members = { add: ask("add-learner"), promote: ask("promote"), remove: ask("remove-member") };
  const maintenance = { moveLeader: ask("move-leader"), disarm: ask("disarm") };
  const seen = {
    now: 0,
    template: { place: { name: "e", namespace: "n", isSecure: false } },
    membership: { members: [{ member: "e-0", isLearner: false }] },
    memberStatuses: { "e-0": { is: "talking", id: "a", leader: "a" } },
    clients: { to: () => ({ members, maintenance }) },
  };
  const step = async (_name: string, run: () => Promise<unknown>) => {
    begin();
    return await run();
  };
  return { turn: { action, seen, step, signal: AbortSignal.any([]), event: () => undefined }, asked };
}

async function take(action: Action, context: object): Promise<void> {
  const handler = handlers[action.do] as unknown as Handler<Action["do"]>;
  await handler(context as Parameters<typeof handler>[0], {} as ActionEnvironment);
}

for (const action of CHANGES) {
  test(`${action.do}: a replica without the lease does not change the membership`, async () => {
    const fenced = turnWith(action, () => {
      throw new Error("this replica has lost the lease");
    });
    await assert.rejects(take(action, fenced.turn), /lost the lease/u);
    assert.deepEqual(fenced.asked, []);
    const leading = turnWith(action, () => undefined);
    await take(action, leading.turn);
    assert.deepEqual(leading.asked, [action.do]);
  });
}

const HINTS: readonly Action[] = [
  { do: "promote", member: "e-1", id: "b" },
  { do: "move-leader", from: "e-0", to: "e-1", why: "it is about to be updated" },
  { do: "disarm", id: "b" },
];

for (const action of HINTS) {
  test(`${action.do}: an aborted reconcile sends no request to etcd`, async () => {
    const { turn, asked } = turnWith(action, () => undefined);
    const signal = AbortSignal.abort(new Error("this replica has lost the lease"));
    await assert.rejects(take(action, { ...turn, signal }), /lost the lease/u);
    assert.deepEqual(asked, []);
    await take(action, turn);
    assert.deepEqual(asked, [action.do]);
  });
}

test("a change that was made before and is needed again is made again", async () => {
  const [action] = CHANGES;
  assert.ok(action);
  const { turn, asked } = turnWith(action, () => undefined);
  await take(action, { ...turn, step: async () => undefined });
  assert.deepEqual(asked, [action.do]);
});
