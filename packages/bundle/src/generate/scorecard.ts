/** The scorecard's configuration with the six classic tests. */
import type { JsonObject } from "../decode/json.ts";
import { classicTests } from "../scorecard/tests.ts";

/** The image that other tools run the classic tests from. */
export const classicImage = "quay.io/operator-framework/scorecard-test:v1.42.3";

/** One stage, all together. */
export const scorecardConfig: JsonObject = {
  apiVersion: "scorecard.operatorframework.io/v1alpha3",
  kind: "Configuration",
  metadata: { name: "config" },
  stages: [
    {
      parallel: true,
      tests: classicTests.map((test) => ({
        entrypoint: ["scorecard-test", test],
        image: classicImage,
        labels: { suite: test.startsWith("basic") ? "basic" : "olm", test: `${test}-test` },
        storage: { spec: { mountPath: {} } },
      })),
    },
  ],
  storage: { spec: { mountPath: {} } },
};
