import assert from "node:assert/strict";
import { test } from "node:test";
import { toPrograms, withProgram } from "./enter-kit.ts";

const said = `
	linux-vdso.so.1 (0x00007f5427582000)
	libcap-ng.so.0 => /lib/x86_64-linux-gnu/libcap-ng.so.0 (0x00007f5427555000)
	libc.so.6 => /lib/x86_64-linux-gnu/libc.so.6 (0x00007f5427373000)
	/lib64/ld-linux-x86-64.so.2 (0x00007f5427584000)
`;

test("dynamically linked programs bring their loader and its libraries", () => {
  const { script, kit } = toPrograms(said);
  for (const line of [
    "cp -L '/usr/bin/setpriv' '/mnt/kit-files/setpriv'",
    "cp -L '/usr/bin/env' '/mnt/kit-files/env'",
    "cp -L '/lib/x86_64-linux-gnu/libcap-ng.so.0' '/mnt/kit-files/libcap-ng.so.0'",
    "cp -L '/lib/x86_64-linux-gnu/libc.so.6' '/mnt/kit-files/libc.so.6'",
    "cp -L '/lib64/ld-linux-x86-64.so.2' '/mnt/kit-files/ld-linux-x86-64.so.2'",
  ])
    assert.ok(script.split("\n").includes(line), line);
  const { setpriv, env } = kit("/.kit");
  assert.deepEqual(setpriv, ["/.kit/ld-linux-x86-64.so.2", "--library-path", "/.kit", "/.kit/setpriv"]);
  assert.deepEqual(env.at(-1), "/.kit/env");
});

test("a container gets two mounts: the shared folder and its own program", () => {
  const kit = withProgram(toPrograms(said).kit("/.kit"), "/mnt/programs/one");
  assert.deepEqual(kit.shown, [
    { from: "/mnt/kit", to: "/.kit" },
    { from: "/mnt/programs/one", to: "/.kit/enter" },
  ]);
  assert.deepEqual(kit.enter, ["/.kit/enter"]);
  assert.ok(kit.programs.includes("/mnt/kit/env") && kit.programs.includes("/mnt/programs/one"));
});

test("statically linked programs run as they are", () => {
  assert.deepEqual(toPrograms("").kit("/.kit").setpriv, ["/.kit/setpriv"]);
});
