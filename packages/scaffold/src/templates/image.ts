/** The ready-made controller for an image: a Deployment for each object, scaled by its spec. */
import type { ApiInputs, ImageInputs } from "../project/inputs.ts";

/** What a user of the kind may say. */
export function imageSpec({ image, port }: ImageInputs): string {
  const ports =
    port === undefined
      ? ""
      : `  port: s.int32().min(1).max(65535).default(${port}).describe("The port that it listens on"),\n`;
  return `const spec = s.object({
  size: s.int32().min(0).default(1).describe("How many pods to run"),
  image: s.string().default(${JSON.stringify(image)}).describe("The image to run"),
${ports}});
`;
}

/** The status of the controller. */
export const imageStatus = `const status = s.object({
  readyReplicas: s.int32().describe("How many pods answer"),
});
`;

/** The controller. */
export function imageController(
  { value, child }: { readonly value: string; readonly child: string },
  { kind, group, image }: ApiInputs,
): string {
  const command = image?.command === undefined ? "" : `\n                command: ${JSON.stringify(image.command)},`;
  const port = image?.port === undefined ? "" : "\n                ports: [{ containerPort: object.spec.port }],";
  return `export const ${value} = controller(${kind}, { owns: [${child}] }, async ({ object, apply, status }) => {
  const { name, uid } = object.metadata;
  // Names may be longer than a label can hold.
  const key = name.length > 63 ? uid : name;
  const labels = { "${group}/name": key };
  try {
    const deployment = await apply(${child}, key, {
      spec: {
        replicas: object.spec.size,
        selector: { matchLabels: labels },
        template: {
          metadata: { labels },
          spec: {
            securityContext: { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } },
            containers: [
              {
                name: "main",
                image: object.spec.image,${command}${port}
                securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } },
              },
            ],
          },
        },
      },
    });
    const ready = deployment.status?.readyReplicas ?? 0;
    status.readyReplicas = ready;
    status.condition("Ready", ready === object.spec.size, \`\${ready} of \${object.spec.size} pods are ready\`);
  } catch (error) {
    status.condition("Ready", false, String(error));
    throw error;
  }
});
`;
}
