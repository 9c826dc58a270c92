import { useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { useRestoreModels } from '../../api/mutations.js';
import { queries, type AsOf } from '../../api/queries.js';
import { useFormats } from '../../messages/formats.js';
import { useMessages } from '../../messages/messages.js';
import { Author } from '../../parts/Author.js';
import { whenDone } from '../../parts/drafts.js';
import { Question } from '../../parts/Question.js';
import { useToast } from '../../parts/Toasts.js';

/** Versions of the models, the latest first; people who may change models go back to an earlier one. */
export const EarlierModels = ({
  sourceId,
  asOf,
  editable,
}: {
  readonly sourceId: number;
  readonly asOf: AsOf;
  readonly editable: boolean;
}) => {
  const { models: texts } = useMessages();
  const { instant } = useFormats();
  const { data } = useQuery(queries.modelsVersions(sourceId, asOf));
  const [chosen, setChosen] = useState<number>();
  const dialog = useRef<HTMLDialogElement>(null);
  const choose = (version: number): void => {
    setChosen(version);
    dialog.current?.showModal();
  };
  if (data?.versions.length === 0) return null;
  return (
    <section className="card card-pad stack tight">
      <h2>{texts.versions}</h2>
      <ol className="stack tight models-versions" reversed>
        {data?.versions.map(({ modelsVersion, at, cause, modelCount, restoredFrom, by, byKind }, index) => (
          <li key={modelsVersion} value={modelsVersion} className="row">
            <span className="grow">
              {texts.version(modelsVersion, texts.causes[cause](restoredFrom ?? 0))},{' '}
              {texts.modelsOf(modelCount)}
              <span className="muted small models-version-at">
                {instant(at)} · <Author by={by} byKind={byKind} />
              </span>
            </span>
            {editable && index > 0 && (
              <button
                type="button"
                className="button quiet"
                aria-label={texts.restoreVersion(modelsVersion)}
                onClick={() => choose(modelsVersion)}
              >
                {texts.restore}
              </button>
            )}
          </li>
        ))}
      </ol>
      <dialog ref={dialog} aria-labelledby={`restore-${sourceId}`}>
        <Confirmation
          key={chosen}
          sourceId={sourceId}
          modelsVersion={chosen}
          onClose={() => dialog.current?.close()}
        />
      </dialog>
    </section>
  );
};

/** Asks whether to go back to a version. */
const Confirmation = ({
  sourceId,
  modelsVersion,
  onClose,
}: {
  readonly sourceId: number;
  readonly modelsVersion: number | undefined;
  readonly onClose: () => void;
}) => {
  const { models: texts } = useMessages();
  const tell = useToast();
  const { mutateAsync, isPending, error } = useRestoreModels(sourceId);
  if (modelsVersion === undefined) return null;
  return (
    <Question
      titleId={`restore-${sourceId}`}
      question={texts.restoreQuestion(modelsVersion)}
      hint={texts.restoreHint}
      yes={texts.restoreYes}
      isPending={isPending}
      error={error}
      onYes={() =>
        whenDone(
          // The dialog closes only while the question is about this version.
          mutateAsync(modelsVersion, { onSuccess: onClose }),
          ({ models, alerts: { counts } }) =>
            tell(texts.wasReset(models.length, counts.raised, counts.invalidated)),
          () => {},
        )
      }
      onClose={onClose}
    />
  );
};
