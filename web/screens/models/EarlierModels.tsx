import { useQuery } from '@tanstack/react-query';
import { useRestoreModels } from '../../api/mutations.js';
import { queries, type AsOf } from '../../api/queries.js';
import { useFormats } from '../../messages/formats.js';
import { useMessages } from '../../messages/messages.js';
import { Author } from '../../parts/Author.js';
import { whenDone } from '../../parts/drafts.js';
import { AskingButton } from '../../parts/Question.js';
import { useToast } from '../../parts/Toasts.js';
import { saidOf } from './ResetModels.js';

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
            {editable && index > 0 && <Restoring sourceId={sourceId} modelsVersion={modelsVersion} />}
          </li>
        ))}
      </ol>
    </section>
  );
};

/** Goes back to a version after a confirmation. */
const Restoring = ({
  sourceId,
  modelsVersion,
}: {
  readonly sourceId: number;
  readonly modelsVersion: number;
}) => {
  const { models: texts } = useMessages();
  const tell = useToast();
  const { mutateAsync, isPending, error, reset } = useRestoreModels(sourceId);
  return (
    <AskingButton
      text={texts.restore}
      name={texts.restoreVersion(modelsVersion)}
      className="button quiet"
      question={texts.restoreQuestion(modelsVersion)}
      hint={texts.restoreHint}
      yes={texts.restoreYes}
      isPending={isPending}
      error={error}
      forget={reset}
      onYes={close =>
        whenDone(
          mutateAsync(modelsVersion),
          answer => {
            close();
            tell(saidOf(answer, texts));
          },
          () => {},
        )
      }
    />
  );
};
