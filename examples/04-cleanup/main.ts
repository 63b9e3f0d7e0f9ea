/** A Bucket exists outside the cluster: it is made with its object, and removed before the object may go. */
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
    // The runtime puts a finalizer on the object before the first reconcile, and takes it away when this has succeeded.
    cleanup: ({ object }) => {
      if (cloud.isDown) return requeue("1m", { reason: "the cloud does not answer" });
      cloud.buckets.delete(object.metadata.uid);
      return undefined;
    },
  },
  ({ object }) => {
    // Known by the uid, so that doing it twice is doing it once.
    cloud.buckets.set(object.metadata.uid, { region: object.spec.region });
  },
);

export const app = operator({ name: "bucket", controllers: [bucket] });

await app.runIfMain(import.meta);
