/** The controller of a new project: one pod for each object. */
import type { ApiInputs } from "../project/inputs.ts";

/** What a user of the kind may say. Of a running pod Kubernetes changes the image and nothing else, so the command stays. */
export function podSpec({ scope }: ApiInputs): string {
  const place =
    scope === "Cluster" ? `  namespace: s.string().default("default").describe("Where the pod runs"),\n` : "";
  return `const spec = s.object({
  image: s.string().min(1).default("busybox:1.37").describe("The image that the pod runs"),
  // Of a pod that runs, Kubernetes changes the image but not the command.
  command: s.array(s.string()).default(["sleep", "3600"]).immutable().describe("What it runs in there"),
${place}});
`;
}

/** The status of the controller. */
export const podStatus = `const status = s.object({
  pod: s.string().describe("The name of the pod"),
});
`;

/** The controller. */
export function podController(
  { value, child }: { readonly value: string; readonly child: string },
  { kind, group, scope }: ApiInputs,
): string {
  const place = scope === "Cluster" ? ", namespace: object.spec.namespace" : "";
  return `export const ${value} = controller(${kind}, { owns: [${child}] }, async ({ object, apply, status }) => {
  const { name, uid } = object.metadata;
  // Names may be longer than a label can hold.
  const key = name.length > 63 ? uid : name;
  try {
    const pod = await apply(${child}, \`\${key}-pod\`, {
      metadata: { labels: { "${group}/name": key }${place} },
      spec: {
        securityContext: { runAsNonRoot: true, runAsUser: 65532, seccompProfile: { type: "RuntimeDefault" } },
        containers: [
          {
            name: "main",
            image: object.spec.image,
            command: object.spec.command,
            securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } },
          },
        ],
      },
    });
    const phase = pod.status?.phase ?? "Pending";
    status.pod = pod.metadata.name;
    status.condition("Ready", phase === "Running", \`the pod is \${phase}\`);
  } catch (error) {
    status.condition("Ready", false, String(error));
    throw error;
  }
});
`;
}
