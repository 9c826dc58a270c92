import { useState } from 'react';
import { ProblemError } from '../../../client/index.js';
import { useSourceChange, type SourcePatch } from '../../api/mutations.js';
import type { Source } from '../../api/client.js';
import { useMessages } from '../../messages/messages.js';
import { Faults } from '../../parts/Failure.js';
import { submits } from '../../parts/Field.js';
import { useToast } from '../../parts/Toasts.js';
import { descriptionForms, descriptionFields, type DescriptionField } from './descriptionForms.js';

/** Contents of the form fields until they are sent. */
type Typed = Readonly<Record<DescriptionField, unknown>>;

const eachField = <Result,>(valueOf: (field: DescriptionField) => unknown): Result =>
  Object.fromEntries(descriptionFields.map(field => [field, valueOf(field)])) as Result;

const typedOf = (source: Source): Typed => eachField(field => descriptionForms[field].typed(source));

/** The merge patch from the stored description to the typed one. */
const patchOf = (source: Source, typed: Typed): SourcePatch =>
  eachField(field => descriptionForms[field].patch(typed[field], source));

/** The description of a source. */
export const SourceForm = ({ source }: { readonly source: Source }) => {
  const { settings: texts, save } = useMessages();
  const tell = useToast();
  const { mutate, isPending, error } = useSourceChange(source.id);
  const [typed, setTyped] = useState(() => typedOf(source));
  const send = (allowDuplicate: boolean): void =>
    mutate(
      { patch: patchOf(source, typed), allowDuplicate },
      {
        onSuccess: saved => {
          setTyped(typedOf(saved));
          tell(texts.saved(saved.name));
        },
      },
    );
  const isTaken = error instanceof ProblemError && error.code === 'sourceNameTaken';
  return (
    <form className="card card-pad stack" onSubmit={submits(() => send(false))}>
      {descriptionFields.map(field => {
        const { Inputs } = descriptionForms[field];
        return (
          <Inputs
            key={field}
            source={source}
            typed={typed[field]}
            onChange={next => setTyped(now => ({ ...now, [field]: next }))}
          />
        );
      })}
      {error && <Faults error={error} />}
      <div className="row">
        <button className="button primary" disabled={isPending || !patchOf(source, typed).name}>
          {save}
        </button>
        {isTaken && (
          <button type="button" className="button" disabled={isPending} onClick={() => send(true)}>
            {texts.allowDuplicate}
          </button>
        )}
      </div>
    </form>
  );
};
