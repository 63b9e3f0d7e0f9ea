import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { defaultFilter, isKnown } from "./filter.ts";

const X64 = 0xc000_003e;
const ARM64 = 0xc000_00b7;
const answers = new Map([
  [0x7fff_0000, "allow"],
  [0x0005_0001, "not permitted"],
  [0x0005_0026, "no such call"],
]);

/** Interprets the program as the kernel would. */
function ask(program: Buffer | undefined, call: { number: number; argument?: number; architecture?: number }): string {
  assert.ok(program);
  const data = new Map([
    [0, call.number],
    [4, call.architecture ?? X64],
    [16, call.argument ?? 0],
  ]);
  let accumulator = 0;
  for (let at = 0; ; at++) {
    const code: number = program.readUInt16LE(at * 8);
    const yes: number = program.readUInt8(at * 8 + 2);
    const no: number = program.readUInt8(at * 8 + 3);
    const value: number = program.readUInt32LE(at * 8 + 4);
    if (code === 0x06) return answers.get(value) ?? `? ${value}`;
    if (code === 0x20) accumulator = data.get(value) ?? 0;
    else if (code === 0x15) at += accumulator === value ? yes : no;
    else if (code === 0x35) at += accumulator >= value ? yes : no;
    else if (code === 0x45) at += (accumulator & value) === 0 ? no : yes;
    else assert.fail(`unknown instruction ${code}`);
  }
}

describe("the default seccomp filter", () => {
  const plain = defaultFilter("x64", ["CHOWN"]);

  test("allows ordinary calls and denies those that reach beyond a container", () => {
    assert.equal(ask(plain, { number: 0 }), "allow");
    assert.equal(ask(plain, { number: 59 }), "allow");
    assert.equal(ask(plain, { number: 165 }), "not permitted");
    assert.equal(ask(plain, { number: 250 }), "not permitted");
  });

  test("allows the calls of a granted capability", () => {
    const admin = defaultFilter("x64", ["SYS_ADMIN"]);
    assert.equal(ask(admin, { number: 165 }), "allow");
    assert.equal(ask(admin, { number: 56, argument: 0x1000_0000 }), "allow");
    assert.equal(ask(admin, { number: 250 }), "not permitted");
    assert.equal(defaultFilter("x64", ["ALL"]), undefined);
  });

  test("allows new processes, but not with new namespaces", () => {
    assert.equal(ask(plain, { number: 56, argument: 0x11 }), "allow");
    assert.equal(ask(plain, { number: 56, argument: 0x1000_0011 }), "not permitted");
    assert.equal(ask(plain, { number: 435 }), "no such call");
  });

  test("rejects calls of other architectures and conventions", () => {
    assert.equal(ask(plain, { number: 0, architecture: 0x4000_0003 }), "no such call");
    assert.equal(ask(plain, { number: 0x4000_0000 }), "no such call");
    const arm = defaultFilter("arm64", []);
    assert.equal(ask(arm, { number: 40, architecture: ARM64 }), "not permitted");
    assert.equal(ask(arm, { number: 64, architecture: ARM64 }), "allow");
    assert.equal(isKnown("s390x"), false);
  });
});
