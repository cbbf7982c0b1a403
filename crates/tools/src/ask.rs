//! `ask_person`: a question to the person that rests the turn. Here are its input and the checks on it; asking and
//! answering are the loop's work, and an answer clears no call whatever its words. It never runs.

use async_trait::async_trait;
use domain::call::ClearedCall;
use domain::facts::{Appraisal, Facts};
use domain::letters::fold;
use domain::question::Question;
use domain::tool::{EffectClass, Replay};
use harness::ports::{Ran, Scope};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::erase::TypedTool;
use crate::files::preview;

/// Questions of one call.
pub const QUESTIONS: usize = 3;
/// Characters of a question.
pub const TEXT_CHARS: usize = 500;
/// Options of a question.
pub const OPTIONS: usize = 6;
/// Characters of an option.
pub const OPTION_CHARS: usize = 80;

/// Ask the person and wait for the answer. Ask only what cannot be found out or decided otherwise. Give options where
/// there are few right answers. Never ask for a password, a code or a key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AskPerson {
    /// 1 to 3 questions.
    #[schemars(length(min = 1, max = 3))]
    pub questions: Vec<Question>,
}

/// Why a question is not asked. The model reads it.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum AskFault {
    /// None, or more than [`QUESTIONS`].
    #[error("ask 1 to {QUESTIONS} questions in one call")]
    HowMany,
    /// Empty or too long.
    #[error("question {0}: the text has 1 to {TEXT_CHARS} characters")]
    Text(usize),
    /// Too many options.
    #[error("question {0}: at most {OPTIONS} options; put the rest under words of the person's own (other: true)")]
    Options(usize),
    /// An option is empty or too long.
    #[error("question {0}: an option has 1 to {OPTION_CHARS} characters")]
    Option(usize),
    /// Two options, or two questions, are the same.
    #[error("question {0}: two options, or two questions, say the same; leave one out")]
    Double(usize),
    /// Neither options nor words.
    #[error("question {0} cannot be answered; give options, or other: true")]
    NoAnswer(usize),
    /// Something nobody should type into a conversation.
    #[error(
        "question {0} asks for a password, a code or a key, and those are never asked for in a conversation; tell the \
         person where to sign in instead (Settings, or the page of the service itself)"
    )]
    Secret(usize),
}

/// Checks a question as a model wrote it.
pub fn check(asked: &AskPerson) -> Result<(), AskFault> {
    if asked.questions.is_empty() || asked.questions.len() > QUESTIONS {
        return Err(AskFault::HowMany);
    }
    for (index, question) in asked.questions.iter().enumerate() {
        check_question(index + 1, question)?;
    }
    let texts: Vec<String> = asked.questions.iter().map(|question| plain(&question.text)).collect();
    match first_double(&texts) {
        Some(index) => Err(AskFault::Double(index + 1)),
        None => Ok(()),
    }
}

fn check_question(number: usize, question: &Question) -> Result<(), AskFault> {
    let length = question.text.trim().chars().count();
    if length == 0 || question.text.chars().count() > TEXT_CHARS {
        return Err(AskFault::Text(number));
    }
    if question.options.len() > OPTIONS {
        return Err(AskFault::Options(number));
    }
    let fits = |option: &String| !option.trim().is_empty() && option.chars().count() <= OPTION_CHARS;
    if !question.options.iter().all(fits) {
        return Err(AskFault::Option(number));
    }
    let options: Vec<String> = question.options.iter().map(|option| plain(option)).collect();
    if first_double(&options).is_some() {
        return Err(AskFault::Double(number));
    }
    if question.options.is_empty() && !question.other {
        return Err(AskFault::NoAnswer(number));
    }
    // Where only options can be chosen nothing secret can be typed.
    if question.other && asks_for_secret(&question.text) {
        return Err(AskFault::Secret(number));
    }
    Ok(())
}

/// A text as it is compared: case, width, blanks and marks at the end do not count.
fn plain(text: &str) -> String {
    let folded = fold(text);
    let words: Vec<&str> = folded.split_whitespace().collect();
    words.join(" ").trim_end_matches(['.', '!', '?', ':', ' ']).to_owned()
}

fn first_double(texts: &[String]) -> Option<usize> {
    (1..texts.len()).find(|index| texts[..*index].contains(&texts[*index]))
}

/// Words that name something secret by themselves, in the languages of the interface and their neighbours.
const SECRETS: &[&str] = &[
    "password",
    "passwort",
    "passphrase",
    "passcode",
    "kennwort",
    "mot de passe",
    "contraseña",
    "contrasena",
    "senha",
    "wachtwoord",
    "lösenord",
    "hasło",
    "heslo",
    "jelszó",
    "parola",
    "пароль",
    "пароля",
    "κωδικός πρόσβασης",
    "şifre",
    "パスワード",
    "密码",
    "密碼",
    "비밀번호",
    "api key",
    "api-key",
    "apikey",
    "api token",
    "access token",
    "auth token",
    "bearer token",
    "secret key",
    "private key",
    "access key",
    "encryption key",
    "recovery key",
    "master key",
    "license key",
    "seed phrase",
    "recovery phrase",
    "client secret",
    "geheimer schlüssel",
    "privater schlüssel",
    "clé api",
    "clé secrète",
    "clave api",
    "clave secreta",
    "cvv",
    "cvc",
    "otp",
    "2fa",
    "mfa code",
    "tan-code",
    "login credentials",
    "credentials",
    "zugangsdaten",
    "identifiants de connexion",
    "pin number",
    "your pin",
    "the pin",
    "pin code",
    "pin-code",
    "deine pin",
    "ihre pin",
    "geheimzahl",
    "code pin",
];

/// Words that make a code one that signs somebody in.
const CODES: &[&str] = &[
    "verification code",
    "security code",
    "confirmation code",
    "authentication code",
    "authenticator",
    "one-time",
    "one time code",
    "login code",
    "sign-in code",
    "access code",
    "sms code",
    "backup code",
    "recovery code",
    "digit code",
    "code you received",
    "code you got",
    "code that was sent",
    "code sent to",
    "code from your",
    "code from the sms",
    "code from the app",
    "bestätigungscode",
    "sicherheitscode",
    "einmalcode",
    "code de vérification",
    "code de sécurité",
    "código de verificación",
    "código de seguridad",
    "código de verificação",
    "codice di verifica",
    "код подтверждения",
    "验证码",
    "驗證碼",
    "認証コード",
    "인증번호",
];

fn asks_for_secret(text: &str) -> bool {
    let text = format!(" {} ", plain(text));
    let holds = |phrase: &&str| {
        text.match_indices(*phrase).any(|(at, found)| {
            let letter = |c: char| c.is_alphanumeric() && phrase.is_ascii();
            let before = text[..at].chars().next_back().is_some_and(letter);
            let after = text[at + found.len()..].chars().next().is_some_and(|c| letter(c) && c != 's');
            !before && !after
        })
    };
    SECRETS.iter().chain(CODES).any(holds)
}

/// The tool.
pub(crate) struct Tool;

#[async_trait]
impl TypedTool for Tool {
    type Input = AskPerson;
    const NAME: &'static str = "ask_person";
    const REPLAY: Replay = Replay::Again;
    const PARALLEL: bool = false;
    const ASKS_PERSON: bool = true;

    async fn appraise(&self, input: AskPerson, _: &Scope) -> Result<Appraisal, String> {
        check(&input).map_err(|fault| format!("This is not asked: {fault}."))?;
        let text = input.questions.first().map_or("", |question| question.text.trim());
        let label = preview::label("Ask:", &text.split_whitespace().collect::<Vec<_>>().join(" "));
        Ok(Appraisal { facts: Facts::of(EffectClass::Read), label, preview: None })
    }

    async fn run(&self, _: AskPerson, _: &ClearedCall, _: &Scope) -> Ran {
        Ran::failed("A question is answered by the person and never run.")
    }
}

#[cfg(test)]
mod tests;
