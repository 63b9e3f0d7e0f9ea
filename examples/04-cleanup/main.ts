/** A Bucket exists outside the cluster: it is created with its object, and deleted before the object is gone. */
import { controller, defineResource, operator, requeue, s } from "capstan";

/** Stands for the API of a cloud. */
export const cloud = { buckets: new Map<string, { readonly region: string }>(), isDown: false };

export const Bucket = defineResource({
  group: "example.com",
  version: "v1",
  kind: "Bucket",
  spec: s.object({ region: s.string().immutable() }),
});

export const bucket = controller(
  Bucket,
  {
    // The runtime adds a finalizer to the object before the first reconcile, and removes it when this function has succeeded.
    cleanup: ({ object }) => {
      if (cloud.isDown) return requeue("1m", { reason: "the cloud does not answer" });
      cloud.buckets.delete(object.metadata.uid);
      return undefined;
    },
  },
  ({ object }) => {
    // The uid is the key, so that repeating the call has no effect.
    cloud.buckets.set(object.metadata.uid, { region: object.spec.region });
  },
);

export const app = operator({ name: "bucket", controllers: [bucket] });

await app.runIfMain(import.meta);
