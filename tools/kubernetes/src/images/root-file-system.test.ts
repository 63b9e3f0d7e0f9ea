import assert from "node:assert/strict";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";

import { addFile, libraries, makeRoot } from "./root-file-system.ts";

test("libraries of a package are found; what only its installation needs is not", () => {
  const fields = `Version: 1.6.18-1
Depends: libc6 (>= 2.34), libevent-2.1-7 (>= 2.1.8-stable), libsasl2-2:any | libsasl-old, adduser, perl:any
Pre-Depends: init-system-helpers (>= 1.54~), libpam0g`;
  assert.deepEqual(libraries(fields), ["libc6", "libevent-2.1-7", "libsasl2-2", "libpam0g"]);
  assert.deepEqual(libraries("Version: 1"), []);
});

test("a root file system is accessible to all users, whatever the umask", async () => {
  const root = mkdtempSync(join(tmpdir(), "capstan-root-"));
  const mask = process.umask(0o077);
  try {
    await makeRoot(root);
    await addFile(root, "srv/deep/page", "text");
    const modes = ["tmp", "var/tmp", "usr", "usr/bin", "etc/passwd", "srv", "srv/deep", "srv/deep/page"].map(
      (path) => statSync(join(root, path)).mode & 0o7777,
    );
    assert.deepEqual(modes, [0o1777, 0o1777, 0o755, 0o755, 0o644, 0o755, 0o755, 0o644]);
  } finally {
    process.umask(mask);
    rmSync(root, { recursive: true });
  }
});
