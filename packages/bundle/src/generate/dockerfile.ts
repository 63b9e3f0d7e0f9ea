/** The Dockerfile of a bundle, for other build tools: labels that repeat the annotations, and three folders. */

/** Writes it. */
export function dockerfileOf(annotations: { readonly [key: string]: string }): string {
  const lines = Object.entries(annotations).map(([key, value]) => `LABEL ${key}=${value}\n`);
  return `FROM scratch

# Core bundle labels and labels for testing.
${lines.join("")}
# Copy files to locations specified by labels.
COPY bundle/manifests /manifests/
COPY bundle/metadata /metadata/
COPY bundle/tests/scorecard /tests/scorecard/
`;
}
