import assert from "node:assert/strict";
import { test } from "node:test";
import { acceptedPasswords, advanceLogin, formatLogin, parseLogin } from "./login.ts";
import type { Login, LoginInput } from "./login.ts";

const HOUR = 3_600_000;

/** Passwords are p1, p2 and so on. */
function start(): (login: Login | undefined, change?: Partial<LoginInput>) => Login {
  let made = 0;
  return (login, change) =>
    advanceLogin({
      login,
      request: "",
      isAccepted: false,
      mayRetire: false,
      now: 0,
      overlapMs: HOUR,
      makePassword: () => `p${++made}`,
      ...change,
    });
}

test("a password is made once", () => {
  const step = start();
  const first = step(undefined, { request: "a" });
  assert.deepEqual(first, { password: "p1", since: 0, request: "a" });
  assert.deepEqual(step(first, { request: "a", now: 9 * HOUR }), first);
});

test("a rotation accepts both passwords before and after the change", () => {
  const step = start();
  const asked = step(step(undefined), { request: "again" });
  assert.deepEqual([asked.password, acceptedPasswords(asked)], ["p1", ["p1", "p2"]]);
  assert.deepEqual(step(asked, { request: "again", now: 9 * HOUR }), asked, "the server was not told");
  const used = step(asked, { request: "again", isAccepted: true, now: HOUR });
  assert.deepEqual([used.password, acceptedPasswords(used)], ["p2", ["p1", "p2"]]);
  const early = { request: "again", isAccepted: true, mayRetire: true, now: 2 * HOUR - 1 };
  assert.deepEqual(step(used, early), used, "the overlap is not over");
  assert.deepEqual(step(used, { ...early, now: 9 * HOUR, mayRetire: false }), used, "something uses it");
  const over = step(used, { ...early, now: 2 * HOUR });
  assert.deepEqual(over, { password: "p2", since: HOUR, request: "again" });
});

test("a clock that went back does not prolong the overlap by more than itself", () => {
  const step = start();
  const used: Login = { password: "new", previous: "old", since: 9 * HOUR, request: "" };
  const back = step(used, { isAccepted: true, mayRetire: true, now: 0 });
  assert.equal(back.since, 0);
  assert.equal(step(back, { isAccepted: true, mayRetire: true, now: HOUR }).previous, undefined);
});

test("a given password is used, followed, and taken back", () => {
  const step = start();
  const first = step(undefined, { given: "mine" });
  assert.equal(first.password, "mine");
  const changed = step(first, { given: "other" });
  assert.equal(changed.next, "other");
  assert.equal(step(changed, { given: "third" }).next, "third");
  assert.deepEqual(step(changed, { given: "mine" }), first);
});

test("old passwords are replaced if the spec has an age", () => {
  const step = start();
  const first = step(undefined);
  assert.equal(step(first, { everyMs: HOUR, now: HOUR - 1 }).next, undefined);
  assert.equal(step(first, { everyMs: HOUR, now: HOUR }).next, "p2");
});

test("a login is read from its Secret as it was written", () => {
  const entries = { password: "password", next: "nextPassword", previous: "previousPassword" };
  for (const login of [
    { password: "a", since: 0, request: "" },
    { password: "a", next: "b", since: HOUR, request: "x" },
    { password: "b", previous: "a", since: HOUR, request: "x" },
  ]) {
    const texts = Object.entries(formatLogin(login, entries)).flatMap(([key, text]) => (text ? [[key, text]] : []));
    assert.deepEqual(parseLogin(Object.fromEntries(texts), entries), login);
  }
  assert.equal(parseLogin({}, entries), undefined);
});
