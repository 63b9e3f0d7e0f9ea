import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { loginsOf } from "./logins.ts";

test("credential helpers are asked for logins; output that is not JSON is an error", async () => {
  const home = await mkdtemp(join(tmpdir(), "logins-"));
  const helper = (name: string, script: string): Promise<void> =>
    writeFile(join(home, `docker-credential-${name}`), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  try {
    await helper("good", 'read -r registry; echo "{\\"Username\\": \\"ann\\", \\"Secret\\": \\"for $registry\\"}"');
    await helper("odd", "echo who are you?");
    await helper("sorry", "echo credentials not found; exit 1");
    const credHelpers = { "good.test": "good", "odd.test": "odd", "sorry.test": "sorry", "gone.test": "gone" };
    await writeFile(join(home, "config.json"), JSON.stringify({ credHelpers }));
    const logins = await loginsOf({ DOCKER_CONFIG: home, PATH: `${home}:/usr/bin:/bin` });
    assert.deepEqual(await logins("good.test"), { type: "password", username: "ann", password: "for good.test" });
    await assert.rejects(logins("odd.test"), /docker-credential-odd.*not JSON/);
    assert.equal(await logins("sorry.test"), undefined);
    assert.equal(await logins("gone.test"), undefined);
    await writeFile(join(home, "config.json"), "{");
    await assert.rejects(loginsOf({ DOCKER_CONFIG: home }), /config\.json.*not JSON/);
  } finally {
    await rm(home, { recursive: true, force: true });
  }
});
