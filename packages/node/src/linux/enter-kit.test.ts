import assert from "node:assert/strict";
import { test } from "node:test";
import { toEnterKit } from "./enter-kit.ts";

test("programs with libraries bring their loader and all that it loads", () => {
  const { files, setpriv, env } = toEnterKit(
    `
	linux-vdso.so.1 (0x00007f5427582000)
	libcap-ng.so.0 => /lib/x86_64-linux-gnu/libcap-ng.so.0 (0x00007f5427555000)
	libc.so.6 => /lib/x86_64-linux-gnu/libc.so.6 (0x00007f5427373000)
	/lib64/ld-linux-x86-64.so.2 (0x00007f5427584000)
`,
    "/.kit",
  );
  assert.deepEqual(
    new Set(files.map(({ from, to }) => `${from} ${to}`)),
    new Set([
      "/usr/bin/setpriv /.kit/setpriv",
      "/usr/bin/env /.kit/env",
      "/lib/x86_64-linux-gnu/libcap-ng.so.0 /.kit/libcap-ng.so.0",
      "/lib/x86_64-linux-gnu/libc.so.6 /.kit/libc.so.6",
      "/lib64/ld-linux-x86-64.so.2 /.kit/ld-linux-x86-64.so.2",
    ]),
  );
  assert.deepEqual(setpriv, ["/.kit/ld-linux-x86-64.so.2", "--library-path", "/.kit", "/.kit/setpriv"]);
  assert.deepEqual(env.at(-1), "/.kit/env");
});

test("programs without libraries run as they are", () => {
  assert.deepEqual(toEnterKit("", "/.kit").setpriv, ["/.kit/setpriv"]);
});
