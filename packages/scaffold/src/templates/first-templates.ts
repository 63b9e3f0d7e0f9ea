/** The templates of the first two generations: an upgrade compares with them to find the changes of the user. */
import type { ApiInputs } from "../project/inputs.ts";

/** What a user of the kind could say. */
export function earlyPodSpec({ scope }: ApiInputs): string {
  const place =
    scope === "Cluster" ? `  namespace: s.string().default("default").describe("Where the pod runs"),\n` : "";
  return `const spec = s.object({
  image: s.string().default("busybox:1.37").describe("The image that the pod runs"),
  command: s.array(s.string()).default(["sleep", "3600"]).describe("What it runs in there"),
${place}});
`;
}

interface Names {
  readonly value: string;
  readonly child: string;
}

/** A pod for each object. */
export function earlyPodController({ value, child }: Names, { kind, group, scope }: ApiInputs): string {
  const place = scope === "Cluster" ? ", namespace: object.spec.namespace" : "";
  return `export const ${value} = controller(${kind}, { owns: [${child}] }, async ({ object, apply, status }) => {
  const { name } = object.metadata;
  const pod = await apply(${child}, \`\${name}-pod\`, {
    metadata: { labels: { "${group}/name": name }${place} },
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
});
`;
}

/** A Deployment for each object. */
export function earlyImageController({ value, child }: Names, { kind, group, image }: ApiInputs): string {
  const command = image?.command === undefined ? "" : `\n            command: ${JSON.stringify(image.command)},`;
  const port = image?.port === undefined ? "" : "\n            ports: [{ containerPort: object.spec.port }],";
  return `export const ${value} = controller(${kind}, { owns: [${child}] }, async ({ object, apply, status }) => {
  const { name } = object.metadata;
  const labels = { "${group}/name": name };
  const deployment = await apply(${child}, name, {
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
});
`;
}
