/** A Website becomes a Deployment, and reports its progress in the status and in a condition. */
import { controller, defineResource, operator, s } from "capstan";
import { Deployment } from "capstan/kinds/apps/v1";

export const Website = defineResource({
  group: "example.com",
  version: "v1",
  kind: "Website",
  spec: s.object({ image: s.string(), replicas: s.int32().min(0).default(2) }),
  status: s.object({ ready: s.int32().describe("How many servers answer") }),
  conditions: { Available: "Every server answers" },
  columns: {
    Ready: "status.ready",
    Wanted: "spec.replicas",
    Available: "condition:Available",
    Why: "reason:Available",
  },
});

export const website = controller(Website, { owns: [Deployment] }, async ({ object, apply, status }) => {
  const { name } = object.metadata;
  const { image, replicas } = object.spec;
  const labels = { "example.com/website": name };
  const deployment = await apply(Deployment, name, {
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: "web", image }] } },
    },
  });
  // The status is sent once, when this function ends, and only if it changed.
  status.ready = Math.min(deployment.status?.readyReplicas ?? 0, replicas);
  status.condition("Available", status.ready === replicas, {
    reason: status.ready === replicas ? "AllReady" : "Starting",
    message: `${status.ready} of ${replicas} servers answer`,
  });
});

export const app = operator({ name: "website", controllers: [website] });

await app.runIfMain(import.meta);
