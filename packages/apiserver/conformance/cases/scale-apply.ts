/** Server-side apply of `scale`. */
import { defineTopic, get, patch, post } from "../case.ts";

const deployments = "/apis/apps/v1/namespaces/{ns}/deployments";
const deployment = {
  metadata: { name: "d" },
  spec: {
    replicas: 1,
    selector: { matchLabels: { a: "b" } },
    template: { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "i" }] } },
  },
};
const scale = (replicas: unknown): object => ({
  kind: "Scale",
  apiVersion: "autoscaling/v1",
  metadata: { name: "d" },
  spec: { replicas },
});

export const scaleApply = defineTopic("scale-apply", {
  "applies a scale": [
    post(deployments, deployment, { quiet: true }),
    patch("apply", `${deployments}/d/scale?fieldManager=me&force=true`, scale(3)),
    get(`${deployments}/d`),
  ],
  "refuses to take over": [
    post(deployments, deployment, { quiet: true }),
    patch("apply", `${deployments}/d/scale?fieldManager=me&force=true`, scale(3), { quiet: true }),
    patch("apply", `${deployments}/d/scale?fieldManager=you`, scale(4)),
  ],
  "refuses a bad scale": [
    post(deployments, deployment, { quiet: true }),
    patch("apply", `${deployments}/d/scale?fieldManager=me&force=true`, scale(-1)),
    patch("apply", `${deployments}/d/scale?force=true`, scale(1)),
    patch("apply", `${deployments}/nope/scale?fieldManager=me&force=true`, scale(1)),
  ],
});
