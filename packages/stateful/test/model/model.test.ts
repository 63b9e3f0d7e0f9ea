import assert from "node:assert/strict";
import { test } from "node:test";
import { decide } from "../../src/decide/decide.ts";
import { explore, settle } from "./explore.ts";
import { change } from "./steps.ts";
import { observeWorld, rules, settledWorld } from "./world.ts";

const none = { writes: 0, crashes: 0, cuts: 0, losses: 0 };

test("a settled cluster rests", () => {
  for (const size of [1, 2, 3]) assert.deepEqual(decide(observeWorld(settledWorld(size, none)), rules), { do: "rest" });
});

test("no acknowledged write is lost, whatever happens to three members", () => {
  const found = explore(settledWorld(3, { writes: 2, crashes: 1, cuts: 1, losses: 0 }), 20_000);
  assert.equal(found.violation, undefined, found.violation?.join("\n"));
  assert.ok(found.appointments > 20, `${found.appointments} appointments in ${found.worlds} worlds`);
});

test("no acknowledged write is lost with a lost volume", () => {
  const found = explore(settledWorld(3, { writes: 2, crashes: 1, cuts: 0, losses: 1 }), 20_000);
  assert.equal(found.violation, undefined, found.violation?.join("\n"));
  assert.ok(found.appointments > 10, `${found.appointments} appointments in ${found.worlds} worlds`);
});

test("a switchover loses no acknowledged write, even of privileged accounts", () => {
  const begin = settledWorld(3, { writes: 2, crashes: 0, cuts: 1, losses: 0 });
  const switchover = { to: "m-1", began: 1_000_000, why: "asked for" };
  const found = explore({ ...begin, recorded: { ...begin.recorded, switchover } }, 20_000);
  assert.equal(found.violation, undefined, found.violation?.join("\n"));
  assert.ok(found.appointments > 20, `${found.appointments} appointments in ${found.worlds} worlds`);
});

test("the checks find a topology that does not wait for acknowledgements", () => {
  const begin = settledWorld(3, { writes: 1, crashes: 0, cuts: 1, losses: 0 });
  const careless = change(begin, "m-0", () => ({ acknowledgements: 0 }));
  assert.notEqual(explore(careless, 20_000).violation, undefined, "the record says 1, but the primary waits for 0");
});

test("a cluster of three comes back after the loss of any member", () => {
  for (const name of ["m-0", "m-1", "m-2"]) {
    const lost = change(settledWorld(3, none), name, () => ({
      hasVolume: false,
      pod: "down",
      received: [],
      applied: 0,
    }));
    const { recorded } = settle(lost);
    const states = recorded.members.map((member) => member.state);
    assert.deepEqual(states, ["Joined", "Joined", "Joined"], name);
    assert.ok(
      recorded.members.every((member) => member.name !== name),
      "a name is used once",
    );
    assert.equal(recorded.acknowledgements, 1, name);
  }
});
