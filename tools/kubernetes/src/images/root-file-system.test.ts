import assert from "node:assert/strict";
import test from "node:test";

import { libraries } from "./root-file-system.ts";

test("libraries of a package are found; what only its installation needs is not", () => {
  const fields = `Version: 1.6.18-1
Depends: libc6 (>= 2.34), libevent-2.1-7 (>= 2.1.8-stable), libsasl2-2:any | libsasl-old, adduser, perl:any
Pre-Depends: init-system-helpers (>= 1.54~), libpam0g`;
  assert.deepEqual(libraries(fields), ["libc6", "libevent-2.1-7", "libsasl2-2", "libpam0g"]);
  assert.deepEqual(libraries("Version: 1"), []);
});
