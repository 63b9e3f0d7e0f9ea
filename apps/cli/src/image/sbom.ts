/** The software bill of materials of an image: SPDX 2.3, deterministic. */
import { createHash } from "node:crypto";

/** A part of the image. */
export interface Part {
  readonly name: string;
  readonly version: string;
  readonly licence: string | undefined;
  /** The package URL: `pkg:npm/...`. */
  readonly purl: string;
}

/** The package URL of an npm package. */
export function npmPurl(name: string, version: string): string {
  return `pkg:npm/${name.replace("@", "%40")}@${version}`;
}

/** The document of an operator and its parts. */
export function formatSbom(operator: Part, parts: readonly Part[]): string {
  const all = [operator, ...parts];
  const digest = createHash("sha256").update(JSON.stringify(all)).digest("hex");
  const idOf = (at: number): string => `SPDXRef-Package-${at}`;
  const document = {
    spdxVersion: "SPDX-2.3",
    dataLicense: "CC0-1.0",
    SPDXID: "SPDXRef-DOCUMENT",
    name: `${operator.name}-${operator.version}`,
    documentNamespace: `https://capstan.invalid/sbom/${operator.name}-${digest}`,
    // A fixed date: the same content gives the same document.
    creationInfo: { created: "1970-01-01T00:00:00Z", creators: ["Tool: capstan"] },
    packages: all.map(({ name, version, licence, purl }, at) => ({
      SPDXID: idOf(at),
      name,
      versionInfo: version,
      downloadLocation: "NOASSERTION",
      filesAnalyzed: false,
      licenseConcluded: "NOASSERTION",
      licenseDeclared: licence ?? "NOASSERTION",
      copyrightText: "NOASSERTION",
      externalRefs: [{ referenceCategory: "PACKAGE-MANAGER", referenceType: "purl", referenceLocator: purl }],
    })),
    relationships: [
      { spdxElementId: "SPDXRef-DOCUMENT", relationshipType: "DESCRIBES", relatedSpdxElement: idOf(0) },
      ...parts.map((_, at) => ({
        spdxElementId: idOf(0),
        relationshipType: "DEPENDS_ON",
        relatedSpdxElement: idOf(at + 1),
      })),
    ],
  };
  return `${JSON.stringify(document, undefined, 2)}\n`;
}
