/** Media types of responses. */
import { defineTopic, get, post } from "../case.ts";

const maps = "/api/v1/namespaces/{ns}/configmaps";
const a = `${maps}/a`;
const make = post(maps, { metadata: { name: "a", labels: { own: "1" } }, data: { x: "<1>" } }, { quiet: true });
const as = (kind: string, version = "v1"): string => `application/json;as=${kind};v=${version};g=meta.k8s.io`;

export const media = defineTopic("media", {
  "tables of one": [make, get(a, { accept: as("Table") })],
  "tables of lists": [make, get(`${maps}?labelSelector=own&limit=1`, { accept: as("Table") })],
  "tables without objects": [make, get(`${a}?includeObject=None`, { accept: as("Table") })],
  "tables with objects": [make, get(`${a}?includeObject=Object`, { accept: as("Table") })],
  "tables with something else": [make, get(`${a}?includeObject=Foo`, { accept: as("Table") })],
  "older tables": [make, get(a, { accept: as("Table", "v1beta1") })],
  "tables of what is not there": [get(a, { accept: as("Table") })],
  metadata: [make, get(a, { accept: as("PartialObjectMetadata") })],
  "metadata of lists": [make, get(`${maps}?labelSelector=own`, { accept: as("PartialObjectMetadataList") })],
  "metadata of a list as an object": [make, get(maps, { accept: as("PartialObjectMetadata") })],
  "metadata of an object as a list": [make, get(a, { accept: as("PartialObjectMetadataList") })],
  "unknown forms": [get(maps, { accept: as("Foo") })],
  "unknown forms with another choice": [get(`${maps}?labelSelector=own`, { accept: `${as("Foo")},application/json` })],
  "other media types": [get(a, { accept: "text/plain" })],
  CBOR: [get(a, { accept: "application/cbor" })],
  YAML: [make, get(a, { accept: "application/yaml" })],
  "YAML of what is not there": [get(a, { accept: "application/yaml" })],
  anything: [make, get(a, { accept: "*/*" })],
  pretty: [make, get(`${a}?pretty=true`)],
  "unknown methods": [{ method: "OPTIONS", path: maps }],
});
