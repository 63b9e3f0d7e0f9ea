/** Operator packages on disk and in registries: read, validated and scored. */
export { BundleError } from "./errors.ts";
export type { BundleErrorCode } from "./errors.ts";

// Reading a bundle.
export { readFolder } from "./read/files.ts";
export type { BundleFiles } from "./read/files.ts";
export { readBundle } from "./read/bundle.ts";
export type { Bundle, ReadBundle } from "./read/bundle.ts";
export { labels as bundleLabels } from "./read/metadata.ts";
export type { BundleMetadata, Dependency } from "./read/metadata.ts";
export type { BundleObject } from "./read/object.ts";
export { readYamlDocuments } from "./decode/documents.ts";
export type { YamlDocument, YamlOptions } from "./decode/documents.ts";
export type {
  ApiDescription,
  Container,
  CrdDescription,
  Csv,
  CsvMeta,
  CsvSpec,
  DeploymentDescription,
  Descriptor,
  InstallStrategy,
  NodeAffinity,
  Permission,
  PodSpec,
  Rule,
  WebhookDescription,
} from "./csv.ts";

// Validating it.
export { validateBundle } from "./validate/validate.ts";
export type { Validation, Verdict } from "./validate/validate.ts";
export { optionalValidators, selectValidators } from "./validate/validators.ts";
export type { ImagePlatform, Validator, ValidatorValues } from "./validate/validator.ts";
export type { Finding, FindingType, Level } from "./validate/finding.ts";
export type { CheckRule } from "./validate/format.ts";
export { imagesOf } from "./validate/multi-arch.ts";

// Versions and ranges, as the operator framework reads them.
export { comparePre, compareVersions, formatVersion, parseTolerant, parseVersion } from "./semver.ts";
export type { Version } from "./semver.ts";
export { parseRange } from "./semver-range.ts";
export type { Range } from "./semver-range.ts";

// Scoring it.
export { defaultConfigPath, parseScorecardConfig } from "./scorecard/config.ts";
export { classicTests, runClassicTest } from "./scorecard/tests.ts";
export type { ClassicTest } from "./scorecard/tests.ts";
export { failure, hasPassed, runScorecard, selectTests } from "./scorecard/run.ts";
export type { RunTest, ScorecardRun } from "./scorecard/run.ts";
export { formatScoreJson, formatScoreText, formatScoreXunit } from "./scorecard/format.ts";
export type {
  ScorecardConfig,
  ScoredTest,
  Stage,
  State,
  TestConfig,
  TestResult,
  TestStatus,
} from "./scorecard/documents.ts";

// Generating it.
export { generateBundle } from "./generate/bundle.ts";
export type { BundleSource, GeneratedFiles } from "./generate/bundle.ts";
export type { Manifest } from "./generate/manifest.ts";
export type { KindDescription } from "./generate/descriptors.ts";
export type { PinImage } from "./generate/images.ts";
export { baseCsv } from "./generate/descriptions.ts";
export type { OperatorDescription } from "./generate/descriptions.ts";
export { classicImage, scorecardConfig } from "./generate/scorecard.ts";

// As an image.
export { buildBundleImage } from "./image/build.ts";
export { readBundleImage } from "./image/read.ts";

export type { Catalog, CatalogBundle, CatalogPackage, Channel, ChannelEntry, Property } from "./catalog/model.ts";

// Catalogs.
export { CatalogError } from "./catalog/errors.ts";
export type { CatalogErrorCode } from "./catalog/errors.ts";
export { filesOfPackage, readConfigFolder, readConfigStream } from "./catalog/folder.ts";
export type { CatalogConfig } from "./catalog/config.ts";
export type { BundleBlob, ChannelBlob, DeprecationsBlob, Icon, Meta, PackageBlob } from "./catalog/blobs.ts";
export { toCatalog, toPartialCatalog } from "./catalog/convert.ts";
export type { PartialCatalog } from "./catalog/convert.ts";
export { headOf } from "./catalog/graph.ts";
export type { Head } from "./catalog/graph.ts";
export { describeBundle } from "./catalog/describe-bundle.ts";
export type { DescribedBundle, DescribeOptions } from "./catalog/describe-bundle.ts";
export { isBundleFolder, readOperatorFolder } from "./catalog/operator-folder.ts";
export type { OperatorFolderOptions } from "./catalog/operator-folder.ts";
export type { UpdateGraph } from "./catalog/update-graph.ts";
export { formatConfig } from "./catalog/write.ts";
export type { CatalogFormat } from "./catalog/write.ts";
export { configOf, emptyConfig } from "./catalog/config.ts";
export { migrateBundle, migrateConfig } from "./catalog/migrate.ts";
export { isTemplate, renderTemplate } from "./catalog/template/render.ts";
export type { RenderBundle } from "./catalog/template/template.ts";
export { openContent, openContentFolder } from "./catalog/content.ts";
export type { CatalogContent, ContentLine } from "./catalog/content.ts";
export { answerCatalogRequest } from "./catalog/pages.ts";
export type { FindCatalog, ServedCatalog } from "./catalog/pages.ts";
export { addBundle } from "./catalog/add-bundle.ts";
export type { NewEntry } from "./catalog/add-bundle.ts";
export { buildCatalogImage, catalogLabel, openContentImage } from "./catalog/image.ts";
export { readDocuments } from "./catalog/stream.ts";

// Registry servers.
export { startRegistryServer } from "./registry/server.ts";
export type { RegistryServer, RegistryServerOptions } from "./registry/server.ts";
export { openRegistryClient, readRegistry } from "./registry/client.ts";
export type { RegistryClient, RegistryClientOptions } from "./registry/client.ts";
export { toApiBundle } from "./registry/api-bundle.ts";
export type { ApiBundle, BundlePlace, BundleView } from "./registry/api-bundle.ts";
export { openCurrentCatalog } from "./catalog/refresh.ts";
export type { CatalogSource, CurrentCatalog, RefreshOptions } from "./catalog/refresh.ts";
