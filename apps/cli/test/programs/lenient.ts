/** A program that sets webhook options, exports nothing and runs on import: tools must only inspect it. */
import { controller, defineResource, operator, s } from "capstan";

const Box = defineResource({
  group: "example.com",
  version: "v1",
  kind: "Box",
  spec: s.object({ size: s.int32().default(1) }),
  default: (draft) => {
    draft.spec.size ??= 1;
  },
});

await operator({
  name: "lenient",
  controllers: [controller(Box, {}, () => undefined)],
  webhooks: { failurePolicy: "Ignore", timeoutSeconds: 2 },
}).run();
