/** Validation of a Volume: the schema, rules in CEL, and functions for what neither can express. */
import { controller, defineResource, operator, s } from "capstan";

export const Volume = defineResource({
  group: "example.com",
  version: "v1",
  kind: "Volume",
  // First the schema: the server itself rejects what does not fit, and `kubectl explain` shows it.
  spec: s.object({
    gigabytes: s.int32().min(1).max(1000),
    tier: s.enum("fast", "cheap").default("cheap"),
    zone: s.string().immutable().optional(),
    owner: s.string().optional(),
  }),
  // Then rules: checked when this module is loaded, run by the server on every write.
  rules: [s.rule("self.tier != 'fast' || self.gigabytes <= 100", "fast volumes have at most 100 GB")],
  // Then functions, served as webhooks: first one that completes an object ...
  default: (draft) => {
    draft.spec.owner ??= draft.metadata.namespace ?? "nobody";
  },
  // ... then one that validates it, with the old object beside the new one.
  validate: ({ object, old, operation, reject, warn }) => {
    if (old && object.spec.gigabytes < old.spec.gigabytes)
      reject("spec.gigabytes", "a volume that holds data cannot shrink");
    if (operation === "delete" && object.metadata.labels?.["example.com/keep"] === "true")
      reject("metadata.labels[example.com/keep]", "take the label away first");
    if (object.spec.gigabytes > 500) warn("this will be expensive");
  },
});

export const volume = controller(Volume, {}, () => undefined);

export const app = operator({ name: "volume", controllers: [volume] });

await app.runIfMain(import.meta);
