import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { readSettings } from "./settings.ts";

describe("settings", () => {
  const read = (args: readonly string[], env: Record<string, string> = {}, file = "{}") =>
    readSettings({ args, env, readFile: () => Promise.resolve(file) });

  test("flags win over the environment, the environment over the file", async () => {
    const file = '{"log-level": "error", "namespaces": ["a", "b"], "grace-period": "5s"}';
    const env = { CAPSTAN_CONFIG: "x", CAPSTAN_LOG_LEVEL: "warn", CAPSTAN_GRACE_PERIOD: "7s" };
    const settings = await read(["--log-level", "debug", "--leader-elect"], env, file);
    assert.equal(settings.logLevel, "debug");
    assert.deepEqual(settings.namespaces, ["a", "b"]);
    assert.equal(settings.gracePeriod, 7000);
    assert.equal(settings.leaderElect, true);
  });

  test("addresses have the formats of controller-runtime", async () => {
    assert.equal((await read(["--metrics-bind-address=:8443"])).metricsAddress, ":8443");
    assert.equal((await read(["--metrics-bind-address=0"])).metricsAddress, "");
  });

  const wrong: readonly (readonly [args: readonly string[], message: RegExp])[] = [
    [["--nonsense=1"], /There is no setting "nonsense"\. Choose one of/u],
    [["--leader-elect=perhaps"], /Cannot use "perhaps" for leader-elect: write true or false\./u],
    [["--log-level=loud"], /Cannot use "loud" for log-level/u],
    [["--metrics-bind-address=8080"], /Cannot listen on "8080"/u],
    [["start"], /Cannot read the argument "start"/u],
  ];
  for (const [args, message] of wrong) {
    test(`${args.join(" ")} is refused`, () => assert.rejects(read(args), { code: "BadSetting", message }));
  }
});
