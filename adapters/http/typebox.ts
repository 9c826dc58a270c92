// All that the service uses of typebox. The build replaces this module by a bundle, since a start would load 683
// modules of typebox otherwise.
export { default } from 'typebox';
export type {
  Static,
  TNumberOptions,
  TObject,
  TOptional,
  TProperties,
  TSchema,
  TSchemaOptions,
  TStringOptions,
} from 'typebox';
export { Compile, type Validator } from 'typebox/compile';
export { Settings } from 'typebox/system';
