/** What people and coding agents read first. */
import type { Inputs } from "../project/inputs.ts";
import { fileOf } from "./source.ts";

/** README.md */
export function readmeFile(inputs: Inputs): string {
  const { name, apis } = inputs;
  const kinds = apis
    .map(
      (api) =>
        `- \`${api.kind}\` (${api.group === "" ? "" : `${api.group}/`}${api.version}): src/${fileOf(inputs, api)}.ts\n`,
    )
    .join("");
  return `# ${name}

A Kubernetes operator, written with Capstan.

${kinds}
## Work on it

\`\`\`sh
npm install
npm test              # the whole operator on an embedded API server, in virtual time
npx capstan dev       # run it here, with a live table; changes are picked up at once
\`\`\`

## Ship it

\`\`\`sh
npx capstan generate manifests --image registry.example.com/${name}:v0.1.0 > install.yaml
kubectl create -f install.yaml
kubectl create -f samples
\`\`\`
`;
}

/** AGENTS.md */
export function agentsFile({ name }: Inputs): string {
  return `# Guide for coding agents: ${name}

- This is a Kubernetes operator in TypeScript. Node runs the sources as they are: no build, no code generation.
- \`src/<kind>.ts\` holds a resource (its schema is its CRD) and its controller; \`src/main.ts\` lists the controllers.
- Check every change with \`npm run check\` (types) and \`npm test\` (behaviour). Both need no cluster.
- A reconcile reads \`object\`, calls \`apply\` for each child it wants, and sets \`status\`. It must give the same result however often it
  runs; it never remembers anything between runs. Children that it no longer applies are deleted.
- Kinds it writes go into \`owns\`, kinds it only reads into \`reads\`: permissions follow from them.
- Do not write CRDs, RBAC or Deployments by hand: \`npx capstan generate\` makes them from the program.
- Wait with \`return requeue("30s", { reason: "..." })\`; fail without retries with \`throw new TerminalError("...")\`. Do not sleep or loop.
- Add a kind with \`npx capstan create api\`, take it away with \`npx capstan delete api\`. \`capstan.json\` records what was asked for: leave
  it to the tool.
`;
}
