import type { Webhook } from '../../api/client.js';
import { useMessages } from '../../messages/messages.js';
import { Field, CheckField, LanguageField, SelectField, TextField } from '../../parts/Field.js';
import {
  addressOf,
  isOfAnalysis,
  kindRules,
  type MessageType,
  type Option,
  type Typed,
} from './receiverForms.js';
import { PairsArea } from '../../parts/PairsArea.js';

/** Fields, the receiver that they change if there is one, and how they change. */
type Fields = {
  readonly typed: Typed;
  readonly before: Webhook | undefined;
  readonly onChange: (next: Partial<Typed>) => void;
};

const urlMax = 2000;

const Address = ({ typed, before, onChange }: Fields) => {
  const { receivers: texts } = useMessages();
  const { kind, url } = typed;
  const kept = before === undefined ? undefined : texts.keepAddress(addressOf(before));
  return (
    <TextField
      label={kind === 'mail' ? texts.mailAddress : texts.address}
      hint={[texts.addressHints[kind], kept].filter(Boolean).join(' ') || undefined}
      type={kind === 'mail' ? 'email' : 'url'}
      maxLength={urlMax}
      required={before === undefined}
      spellCheck={false}
      autoComplete="off"
      value={url}
      onChange={next => onChange({ url: next })}
    />
  );
};

const optionMax = 500;
const priorities = ['1', '2', '3', '4', '5'] as const;

/** Options that are taken away, with or without one of them. */
const withRemoved = ({ removed }: Typed, name: Option, isRemoved: boolean): readonly Option[] => [
  ...removed.filter(other => other !== name),
  ...(isRemoved ? [name] : []),
];

/** A choice of priority: what a receiver has is not answered, so it may stay as it is. */
const Priority = ({ typed, before, onChange }: Fields) => {
  const { receivers: texts } = useMessages();
  const isSet = before?.options.includes('priority') === true;
  const value = typed.removed.includes('priority') ? 'none' : typed.options.priority;
  return (
    <SelectField
      label={texts.options.priority}
      value={value}
      options={[
        ...(isSet ? [['', texts.unchanged] as const] : []),
        [isSet ? 'none' : '', texts.bySeverity],
        ...priorities.map(priority => [priority, priority] as const),
      ]}
      onChange={next =>
        onChange({
          options: { ...typed.options, priority: next === 'none' ? '' : next },
          removed: withRemoved(typed, 'priority', next === 'none'),
        })
      }
    />
  );
};

const OptionField = ({ name, ...fields }: Fields & { readonly name: Option }) => {
  const { receivers: texts } = useMessages();
  const { typed, before, onChange } = fields;
  const isNeeded = kindRules[typed.kind].needs.includes(name);
  const isSet = before?.options.includes(name) === true;
  const isRemoved = typed.removed.includes(name);
  return (
    <>
      <TextField
        label={texts.options[name]}
        hint={isSet ? texts.keepOption : texts.optionHints[name]}
        maxLength={optionMax}
        required={isNeeded && !isSet}
        disabled={isRemoved}
        spellCheck={false}
        autoComplete="off"
        value={typed.options[name]}
        onChange={next => onChange({ options: { ...typed.options, [name]: next } })}
      />
      {isSet && !isNeeded && (
        <CheckField
          label={texts.removeOption(texts.options[name])}
          checked={isRemoved}
          onChange={next => onChange({ removed: withRemoved(typed, name, next) })}
        />
      )}
    </>
  );
};

const levels = ['0', '0.7', '0.85'];

const Filter = ({ typed, onChange }: Fields) => {
  const { receivers: texts } = useMessages();
  const types = (Object.keys(texts.events) as MessageType[]).filter(
    type => kindRules[typed.kind].analyses || !isOfAnalysis(type),
  );
  return (
    <>
      <fieldset className="ticks">
        <legend className="label">{texts.messages}</legend>
        {types.map(type => (
          <CheckField
            key={type}
            label={texts.events[type]}
            checked={typed.events.includes(type)}
            onChange={isChosen =>
              onChange({
                events: types.filter(one => (one === type ? isChosen : typed.events.includes(one))),
              })
            }
          />
        ))}
      </fieldset>
      <SelectField
        label={texts.minCriticity}
        value={typed.minCriticity}
        options={[...new Set([...levels, typed.minCriticity])].map(level => [
          level,
          texts.levels[level] ?? texts.level(level),
        ])}
        onChange={minCriticity => onChange({ minCriticity })}
      />
      <Field label={texts.labels} hint={texts.labelsHint}>
        {(id, hintId) => (
          <PairsArea
            id={id}
            aria-describedby={hintId}
            separator=":"
            value={typed.labels}
            onChange={labels => onChange({ labels })}
          />
        )}
      </Field>
    </>
  );
};

const intervals = ['5', '15', '60', '240', '1440'];

const Times = ({ typed, onChange }: Fields) => {
  const { receivers: texts } = useMessages();
  const { digest, quietHours } = kindRules[typed.kind];
  const time = (label: string, name: 'digestAt' | 'quietFrom' | 'quietTo', required: boolean) => (
    <TextField
      label={label}
      type="time"
      required={required}
      value={typed[name]}
      onChange={next => onChange({ [name]: next })}
    />
  );
  return (
    <>
      {digest && (
        <div className="pair">
          <SelectField
            label={texts.digest}
            value={typed.everyMinutes}
            options={[
              ['', texts.atOnce],
              ...[...new Set([...intervals, typed.everyMinutes])]
                .filter(Boolean)
                .map(minutes => [minutes, texts.every(Number(minutes))] as const),
            ]}
            onChange={everyMinutes => onChange({ everyMinutes })}
          />
          {typed.everyMinutes !== '' && time(texts.digestAt, 'digestAt', true)}
        </div>
      )}
      {quietHours && (
        <div className="pair">
          {time(texts.quietFrom, 'quietFrom', typed.quietTo !== '')}
          {time(texts.quietTo, 'quietTo', typed.quietFrom !== '')}
        </div>
      )}
      {(digest || quietHours) && <p className="hint">{texts.clock}</p>}
    </>
  );
};

/** Fields of a receiver after its kind was chosen. */
export const ReceiverFields = (fields: Fields) => {
  const { receivers: texts } = useMessages();
  const { typed, onChange } = fields;
  const { needs, takes, language } = kindRules[typed.kind];
  return (
    <>
      <Address {...fields} />
      {[...needs, ...takes].map(name =>
        name === 'priority' ? (
          <Priority key={name} {...fields} />
        ) : (
          <OptionField key={name} name={name} {...fields} />
        ),
      )}
      {language && (
        <LanguageField
          label={texts.language}
          value={typed.language}
          onChange={language => onChange({ language })}
        />
      )}
      <Filter {...fields} />
      <Times {...fields} />
    </>
  );
};
